"""Questions and answers: who reads what, and what each user can do with own posts."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Viewer, signed_in
from app.catalog.model import Problem, Revision
from app.database.cursor import Slice
from app.database.engine import Database
from app.errors import Conflict, Invalid, LimitReached, NotFound
from app.learning import discussion
from app.learning.discussion import (
    MAX_BODY,
    MAX_TITLE,
    Discussion,
    Post,
    PostText,
    answer,
    ask,
    delete_post,
    edit,
    get_discussion,
    hide_code,
    list_questions,
    list_unread,
    mark_seen,
    render_posts,
)
from app.limits import EDIT_INTERVAL
from tests.admin.test_erasure import until_waiting
from tests.factories import make_user
from tests.hostile_text import UNSTORABLE
from tests.learning.lessons import make_accepted
from tests.learning.test_shared_solution import sign_in
from tests.transaction import commit

pytestmark = pytest.mark.usefixtures("revision")
SLUG = "scaled_sum"
CODE = "Try this:\n\n```python\nreturn x.sum() * scale\n```\n\nIt works."
QUESTION = PostText(title="Why  scale?", body="What is `scale` for?")


def read(session: Session, viewer: Viewer, question_id: UUID, limit: int = 50) -> Discussion:
    return get_discussion(session, viewer, question_id, Slice(limit=limit))


def titles(session: Session, viewer: Viewer) -> list[str]:
    return [item.title for item in list_questions(session, viewer, SLUG, Slice()).items]


def test_a_question_and_its_answers_are_read_with_their_names(session: Session) -> None:
    ada, grace = sign_in(session, "ada"), sign_in(session, "grace")

    asked = ask(session, ada, SLUG, QUESTION)
    answer(session, grace, asked, PostText(body="It multiplies.\r\n"))

    (listed,) = list_questions(session, grace, SLUG, Slice()).items
    thread = read(session, grace, asked)
    assert (listed.title, listed.username, listed.answers, listed.is_own) == ("Why scale?", "ada", 1, False)
    assert (thread.problem, thread.question.body) == (SLUG, "What is `scale` for?")
    assert [(post.username, post.body, post.is_own) for post in thread.answers] == [("grace", "It multiplies.", True)]


def test_code_and_spoilers_are_withheld_until_the_solution_is_open(session: Session, revision: Revision) -> None:
    ada, locked, solved, author = (
        sign_in(session),
        sign_in(session),
        sign_in(session),
        sign_in(session, role="author"),
    )
    make_accepted(session, solved.user, revision)
    asked = ask(session, ada, SLUG, PostText(title="Code", body=CODE))
    answer(session, ada, asked, PostText(body="The answer is to multiply.", is_spoiler=True))

    withheld = read(session, locked, asked)
    shown = [read(session, viewer, asked) for viewer in (ada, solved, author)]

    assert "return" not in repr(withheld)
    assert "multiply" not in repr(withheld)
    assert (withheld.question.is_withheld, withheld.answers[0].is_withheld) == (True, True)
    assert all(text in withheld.question.body for text in ("Try this:", "[…]", "It works."))
    for thread in shown:
        assert (thread.question.body, thread.answers[0].body) == (CODE, "The answer is to multiply.")
        assert not thread.question.is_withheld


@pytest.mark.parametrize(
    "body",
    [
        "~~~\nSECRET\n~~~",
        "text\n\n    SECRET\n\ntext",
        "- item\n\n  ```\n  SECRET\n  ```",
        "> ```\n> SECRET\n> ```",
        "- ```SECRET\n  SECRET",
        "```\nSECRET",
        "1. > ~~~ SECRET\n   > SECRET\n\n```py\nSECRET\n```",
        "# title\n    SECRET",
        "```\nSECRET\n```\n$$\na\n$$\n```\nSECRET\n```",
        "a\tb\n\n\tSECRET\u2028SECRET\x0cSECRET",
    ],
)
def test_every_kind_of_code_block_is_hidden(body: str) -> None:
    assert "SECRET" not in hide_code(body)
    assert hide_code("one `inline` word\n\nand $x_1$") == "one `inline` word\n\nand $x_1$"


@pytest.mark.parametrize(
    ("title", "body", "words"),
    [
        ("", "body", "title is empty"),
        ("t" * (MAX_TITLE + 1), "body", f"limit is {MAX_TITLE}"),
        ("title", "  \n", "text is empty"),
        ("title", "b" * (MAX_BODY + 1), f"limit is {MAX_BODY}"),
        *(("title", text, "can't be stored") for text in UNSTORABLE.values()),
        *((text, "body", "can't be stored") for text in UNSTORABLE.values()),
    ],
)
def test_texts_have_limits(session: Session, title: str, body: str, words: str) -> None:
    ada = sign_in(session)

    with pytest.raises(Invalid, match=words):
        ask(session, ada, SLUG, PostText(title=title, body=body))
    assert session.scalars(select(Post)).all() == []


def test_the_same_text_sent_twice_is_one_post_and_many_texts_are_too_many(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discussion, "MAX_POSTS_PER_HOUR", 3)
    ada, grace = sign_in(session), sign_in(session)

    asked = ask(session, ada, SLUG, QUESTION)
    assert ask(session, ada, SLUG, QUESTION) == asked
    assert ask(session, grace, SLUG, QUESTION) != asked
    answered = answer(session, ada, asked, PostText(body="one"))
    assert answer(session, ada, asked, PostText(body="one")) == answered
    answer(session, ada, asked, PostText(body="two"))
    with pytest.raises(LimitReached, match="3 questions and answers in the last hour") as refused:
        answer(session, ada, asked, PostText(body="three"))
    assert 3000 < refused.value.retry_seconds <= 3600
    session.execute(update(Post).values(created_at=func.now() - discussion.HOUR))
    answer(session, ada, asked, PostText(body="three"))


def test_an_own_post_can_be_edited_and_deleted_and_no_other(database: Database) -> None:
    with database.transaction() as session:
        ada, grace, author = sign_in(session), sign_in(session), sign_in(session, role="author")
        asked = ask(session, ada, SLUG, QUESTION)
        answered = answer(session, grace, asked, PostText(body="first"))

        for viewer, post_id in ((grace, asked), (ada, answered), (author, asked), (ada, uuid4())):
            with pytest.raises(NotFound):
                edit(session, viewer, post_id, QUESTION)
            with pytest.raises(NotFound):
                delete_post(session, viewer, post_id)
        edit(session, grace, answered, PostText(body="first"))
        assert read(session, ada, asked).answers[0].edited_at is None
        edit(session, grace, answered, PostText(body="second", is_spoiler=True))
        edit(session, ada, asked, PostText(title="New", body="new"))
    with database.transaction() as session:
        thread = read(session, author, asked)
        assert (thread.question.title, thread.question.body) == ("New", "new")
        assert (thread.answers[0].body, thread.answers[0].is_spoiler) == ("second", True)
        assert thread.answers[0].edited_at is not None
        delete_post(session, grace, answered)
        assert read(session, ada, asked).answers == ()
        delete_post(session, ada, asked)
        assert titles(session, ada) == []
        with pytest.raises(NotFound):
            read(session, ada, asked)
        assert [(post.title, post.body) for post in session.scalars(select(Post))] == [("", "")] * 2


def test_deleted_posts_count_for_the_limit(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discussion, "MAX_POSTS_PER_HOUR", 2)
    ada = sign_in(session)
    for _ in range(2):
        delete_post(session, ada, ask(session, ada, SLUG, QUESTION))

    with pytest.raises(LimitReached, match="2 questions and answers in the last hour"):
        ask(session, ada, SLUG, QUESTION)


def test_an_answer_waits_for_the_end_of_its_questions_deletion(database: Database) -> None:
    with database.transaction() as session:
        ada, grace = sign_in(session), sign_in(session)
        asked = ask(session, ada, SLUG, QUESTION)

    def write() -> UUID:
        return commit(database, answer, grace, asked, PostText(body="one"))

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            delete_post(session, ada, asked)
            written = pool.submit(write)
            until_waiting(database, written)

        with pytest.raises(NotFound):
            written.result()


def test_edits_have_an_interval_for_all_posts_of_a_user(session: Session) -> None:
    ada = sign_in(session)
    first, second = (ask(session, ada, SLUG, PostText(title=title, body="text")) for title in ("one", "two"))
    edit(session, ada, first, QUESTION)

    for post_id in (first, second):
        with pytest.raises(LimitReached, match="save again in 10 s") as refused:
            edit(session, ada, post_id, PostText(title="new", body="new"))
        assert refused.value.retry_seconds == 10
    edit(session, ada, first, PostText(title="Why scale?", body=QUESTION.body))
    session.execute(update(Post).values(edited_at=Post.edited_at - EDIT_INTERVAL))
    session.expire_all()
    edit(session, ada, second, PostText(title="new", body="new"))


def test_only_a_moderator_removes_a_spoiler_mark(session: Session) -> None:
    ada, author, reader = sign_in(session), sign_in(session, role="author"), sign_in(session)
    for viewer, is_kept in ((ada, True), (author, False)):
        asked = ask(session, viewer, SLUG, PostText(title="Why?", body="SECRET", is_spoiler=True))
        edit(session, viewer, asked, PostText(title="Why not?", body="SECRET"))
        session.expire_all()

        question = read(session, reader, asked).question
        assert (question.title, question.is_spoiler, "SECRET" in question.body) == (
            "Why not?",
            is_kept,
            not is_kept,
        )


def test_a_deleted_question_with_answers_stays_without_text_and_name(session: Session) -> None:
    ada, grace = sign_in(session, "ada"), sign_in(session, "grace")
    asked = ask(session, ada, SLUG, QUESTION)
    answered = answer(session, grace, asked, PostText(body="still here"))
    delete_post(session, ada, asked)

    thread = read(session, ada, asked)

    assert (thread.question.is_deleted, thread.question.username, thread.question.title) == (True, None, "")
    assert thread.answers[0].body == "still here"
    assert [(item.title, item.username) for item in list_questions(session, ada, SLUG, Slice()).items] == [("", None)]
    with pytest.raises(Conflict, match="takes no more answers"):
        answer(session, grace, asked, PostText(body="another"))
    delete_post(session, grace, answered)
    assert titles(session, ada) == []


def test_questions_and_answers_come_in_pages(session: Session) -> None:
    ada = sign_in(session)
    asked = [ask(session, ada, SLUG, PostText(title=f"{number}", body="text")) for number in range(3)]
    answered = [answer(session, ada, asked[0], PostText(body=f"{number}")) for number in range(3)]

    first = list_questions(session, ada, SLUG, Slice(limit=2))
    second = list_questions(session, ada, SLUG, Slice(limit=2, cursor=first.next))
    start = read(session, ada, asked[0], limit=2)
    rest = get_discussion(session, ada, asked[0], Slice(limit=2, cursor=start.next))

    assert sorted(item.id for item in (*first.items, *second.items)) == sorted(asked)
    assert (len(first.items), second.next, rest.next) == (2, None, None)
    assert sorted(post.id for post in (*start.answers, *rest.answers)) == sorted(answered)


def test_unread_answers_are_counted_until_their_asker_looks(database: Database) -> None:
    with database.transaction() as session:
        ada, grace = sign_in(session), sign_in(session)
        asked = ask(session, ada, SLUG, QUESTION)
    for writer, body in ((grace, "one"), (grace, "two"), (ada, "my own")):
        commit(database, answer, writer, asked, PostText(body=body))
    with database.transaction() as session:
        (unread,) = list_unread(session, ada.id)
        mark_seen(session, grace, asked)
        assert (unread.question_id, unread.problem, unread.title, unread.count) == (asked, SLUG, "Why scale?", 2)
        assert list_unread(session, grace.id) == ()
        mark_seen(session, ada, asked)
        assert list_unread(session, ada.id) == ()
    commit(database, answer, grace, asked, PostText(body="three"))
    assert [unread.count for unread in commit(database, list_unread, ada.id)] == [1]


def test_an_answer_that_was_being_written_during_the_look_is_unread(database: Database) -> None:
    with database.transaction() as session:
        ada, grace = sign_in(session), sign_in(session)
        asked = ask(session, ada, SLUG, QUESTION)
    commit(database, answer, grace, asked, PostText(body="one"))
    with database.transaction() as slow:
        answer(slow, grace, asked, PostText(body="two"))
        commit(database, mark_seen, ada, asked)
    assert [unread.count for unread in commit(database, list_unread, ada.id)] == [1]


def test_hidden_posts_are_for_moderators_and_their_authors(session: Session) -> None:
    ada, grace, author = sign_in(session, "ada"), sign_in(session, "grace"), sign_in(session, role="author")
    asked = ask(session, ada, SLUG, QUESTION)
    answered = answer(session, grace, asked, PostText(body="rude words"))
    session.execute(update(Post).where(Post.id == answered).values(hidden_at=func.now()))
    session.expire_all()

    hidden = read(session, ada, asked).answers[0]
    seen = [read(session, viewer, asked).answers[0] for viewer in (grace, author)]
    unread = list_unread(session, ada.id)
    session.execute(update(Post).where(Post.id == asked).values(hidden_at=func.now()))
    session.expire_all()

    assert (hidden.body, hidden.username, hidden.is_hidden, unread) == ("", None, True, ())
    assert [(post.body, post.username) for post in seen] == [("rude words", "grace")] * 2
    assert [titles(session, viewer) for viewer in (ada, grace, author)] == [["Why scale?"], [], ["Why scale?"]]
    with pytest.raises(NotFound):
        read(session, sign_in(session), asked)
    with pytest.raises(NotFound):
        edit(session, grace, answered, PostText(body="other words"))


def test_an_answer_can_be_deleted_after_a_moderator_hid_the_question(session: Session) -> None:
    ada, grace = sign_in(session, "ada"), sign_in(session, "grace")
    asked = ask(session, ada, SLUG, QUESTION)
    answered = answer(session, grace, asked, PostText(body="It multiplies."))
    answer(session, ada, asked, PostText(body="Thank you."))
    session.execute(update(Post).where(Post.id == asked).values(hidden_at=func.now()))
    session.expire_all()

    thread = read(session, grace, asked)
    with pytest.raises(NotFound):
        answer(session, grace, asked, PostText(body="One more."))
    left = delete_post(session, grace, answered)

    assert (thread.question.title, thread.question.body, thread.question.username) == ("", "", None)
    assert [post.body for post in thread.answers] == ["It multiplies."]
    assert left == (SLUG, None)
    with pytest.raises(NotFound):
        read(session, grace, asked)


def test_the_html_is_stored_when_a_post_is_written(
    session: Session, monkeypatch: pytest.MonkeyPatch, revision: Revision
) -> None:
    ada, locked, solved = sign_in(session), sign_in(session), sign_in(session)
    make_accepted(session, solved.user, revision)
    asked = ask(session, ada, SLUG, PostText(title="Code", body=CODE))
    edited = ask(session, ada, SLUG, PostText(title="Text", body="Before"))
    edit(session, ada, edited, PostText(title="Text", body="*After*"))
    monkeypatch.setattr(discussion, "render_post", None)

    whole, withheld, after = (
        html_of(session, viewer, question_id)
        for viewer, question_id in ((solved, asked), (locked, asked), (solved, edited))
    )

    assert "sum" in whole
    assert "sum" not in withheld
    assert "It works." in withheld
    assert after == "<p><em>After</em></p>\n"


def test_a_page_renders_posts_of_an_older_renderer_again_up_to_a_limit(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = sign_in(session)
    asked = ask(session, ada, SLUG, QUESTION)
    for number in range(6):
        answer(session, ada, asked, PostText(body=f"*{number}*" + "x" * (MAX_BODY - 3)))
    session.execute(update(Post).values(html="<b>old</b>", rendered_by="an older one"))
    session.expire_all()

    first, second = (render_posts(session, read(session, ada, asked).answers) for _ in range(2))
    monkeypatch.setattr(discussion, "render_post", None)
    third = render_posts(session, read(session, ada, asked).answers)

    again = [sum("<em>" in html for html in page.values()) for page in (first, second, third)]
    assert again == [4, 6, 6]
    assert not any("old" in html for page in (first, second, third) for html in page.values())


def html_of(session: Session, viewer: Viewer, question_id: UUID) -> str:
    session.flush()
    return str(render_posts(session, [read(session, viewer, question_id).question])[question_id])


def test_a_locked_question_takes_answers_and_edits_of_moderators_only(session: Session) -> None:
    ada, author = sign_in(session), sign_in(session, role="author")
    asked = ask(session, ada, SLUG, QUESTION)
    session.execute(update(Post).where(Post.id == asked).values(locked_at=func.now()))
    session.expire_all()

    with pytest.raises(Conflict, match="locked"):
        answer(session, ada, asked, PostText(body="one more"))
    with pytest.raises(Conflict, match="locked"):
        edit(session, ada, asked, PostText(title="t", body="b"))
    answer(session, author, asked, PostText(body="the last word"))
    assert read(session, ada, asked).is_locked


def test_a_draft_s_discussion_is_not_there_for_students(session: Session, revision: Revision) -> None:
    author, student = sign_in(session, role="author"), signed_in(make_user(session))
    asked = ask(session, author, SLUG, QUESTION)
    session.get_one(Problem, revision.problem_id).availability = "draft"
    session.flush()

    for call in (lambda: read(session, student, asked), lambda: titles(session, student)):
        with pytest.raises(NotFound):
            call()
    assert titles(session, author) == ["Why scale?"]
    assert session.get_one(User, author.id).role == "author"
