"""Set the sign-up mode, and read the users."""

from sqlalchemy import select

from app.accounts.model import User
from app.database.engine import Database
from app.policy import PolicyRow


def set_mode(database: Database, mode: str) -> None:
    with database.transaction() as session:
        session.add(PolicyRow(name="sign_up", value=mode))


def read_users(database: Database) -> dict[str, User]:
    with database.transaction() as session:
        return {user.username: user for user in session.scalars(select(User))}
