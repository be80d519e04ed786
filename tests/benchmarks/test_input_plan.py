"""The plan of inputs that grow covers every route and every parameter."""

import pytest
from fastapi import Body, FastAPI, Header, Query

from app.web_process import build_application
from benchmarks.input_plan import LEFT_OUT, UnknownInput, find_unread, list_probes, list_routes


def test_every_route_has_inputs_in_its_address_and_its_body() -> None:
    for route in list_routes(build_application()):
        probes = [probe.what for probe in list_probes(route)]

        assert bool(probes) == (str(route) not in LEFT_OUT), route
        if probes:
            assert any(what.startswith("query") for what in probes)
            assert "{" not in route.path or any(what.startswith("path") for what in probes)
            assert route.method == "GET" or any(what.startswith(("body", "archive")) for what in probes)


def test_the_tables_name_no_route_that_is_gone() -> None:
    assert find_unread(list_routes(build_application())) == []


@pytest.mark.parametrize("source", [Query(), Body(embed=True), Header()], ids=["query", "body", "header"])
def test_a_parameter_that_the_plan_does_not_know_is_named(source: object) -> None:
    def create_thing(colour: str = source) -> str:  # type: ignore[assignment]
        return colour

    app = FastAPI(openapi_url=None)
    app.post("/things")(create_thing)
    (route,) = list_routes(app)

    with pytest.raises(UnknownInput, match="POST /things has the parameter 'colour': say in FIELDS"):
        list_probes(route)


def test_every_input_grows_beyond_its_limit_and_can_be_sent() -> None:
    for route in list_routes(build_application()):
        for probe in list_probes(route):
            sizes = probe.list_sizes()
            small, larger = (probe.build("/x", size) for size in sizes[:2])

            assert sizes[-2] < probe.most_bytes < sizes[-1]
            assert small.method == route.method
            assert small.target.isascii()
            assert " " not in small.target
            assert larger.body != small.body or larger.target != small.target or larger.headers != small.headers, probe
            assert len(sizes) >= 3
