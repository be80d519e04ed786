from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from sqlalchemy import func, select

from app.catalog.folder import digest
from app.catalog.model import Problem, Revision
from app.catalog.package import Package, package_from_files
from app.catalog.publish import SEED_BYTES, publish
from app.database.engine import Database
from tests.catalog.packages import edited, make_package


def publish_in_own_transaction(database: Database, package: Package) -> UUID:
    with database.transaction() as session:
        return publish(session, package).id


def current(database: Database, slug: str) -> Revision:
    with database.transaction() as session:
        query = select(Revision).join(Problem, Problem.current_revision_id == Revision.id).where(Problem.slug == slug)
        return session.scalars(query).one()


def test_a_published_package_is_the_current_revision(database: Database) -> None:
    package = make_package()

    publish_in_own_transaction(database, package)

    revision = current(database, "scaled_sum")
    assert (revision.number, revision.digest) == (1, digest(package.files))
    assert revision.manifest["title"] == "Scaled sum"
    assert len(revision.secret_seed) == SEED_BYTES


def test_the_package_can_be_read_back_from_its_revision(database: Database) -> None:
    package = make_package()

    publish_in_own_transaction(database, package)

    files = {path: text.encode() for path, text in current(database, "scaled_sum").files.items()}
    assert package_from_files("scaled_sum", files) == package


def test_publishing_the_same_content_again_changes_nothing(database: Database) -> None:
    first = publish_in_own_transaction(database, make_package())
    seed = current(database, "scaled_sum").secret_seed

    second = publish_in_own_transaction(database, make_package())

    assert second == first
    assert current(database, "scaled_sum").secret_seed == seed


def test_other_content_is_a_new_revision_with_another_secret(database: Database) -> None:
    publish_in_own_transaction(database, make_package())
    before = current(database, "scaled_sum")

    publish_in_own_transaction(database, make_package(problem=edited("variants: 2", "variants: 4")))

    after = current(database, "scaled_sum")
    assert (before.number, after.number) == (1, 2)
    assert before.secret_seed != after.secret_seed


def test_publishing_old_content_makes_its_revision_current_again(database: Database) -> None:
    first = publish_in_own_transaction(database, make_package())
    publish_in_own_transaction(database, make_package(problem=edited("variants: 2", "variants: 4")))

    publish_in_own_transaction(database, make_package())

    assert current(database, "scaled_sum").id == first


def test_publishers_at_once_make_one_revision_each_in_turn(database: Database) -> None:
    packages = [make_package(problem=edited("variants: 2", f"variants: {n}")) for n in (3, 3, 4, 4)]

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda package: publish_in_own_transaction(database, package), packages))

    assert (made[0], made[2]) == (made[1], made[3])
    with database.transaction() as session:
        assert sorted(session.scalars(select(Revision.number))) == [1, 2]
        assert session.scalar(select(func.count()).select_from(Problem)) == 1


def test_an_input_that_json_can_not_hold_is_published_all_the_same(database: Database) -> None:
    package = make_package(problem=edited("x: [1, 2.5]", "x: [1, .nan]"))

    publish_in_own_transaction(database, package)

    assert current(database, "scaled_sum").digest == digest(package.files)
