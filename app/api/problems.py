"""Problems, as students see them."""

from fastapi import APIRouter

router = APIRouter(prefix="/problems", tags=["problems"])
