import socket

from sandbox.docker.container import AttachedSocket


def test_a_closed_channel_is_closed_for_the_box_at_once_while_another_file_holds_the_socket() -> None:
    """Docker's library reads the answer's head through a file of the same socket, and that file lives on."""
    ours, boxes = socket.socketpair()
    with boxes, ours.makefile("rb", buffering=0):
        AttachedSocket(ours).close()
        boxes.settimeout(10)

        assert boxes.recv(1) == b""
