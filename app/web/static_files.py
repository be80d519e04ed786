"""Style sheets and scripts. Their addresses change with their content, so browsers keep them for good."""

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse

from app.errors import NotFound
from app.web.render import STATIC

router = APIRouter()
FOR_GOOD = "public, max-age=31536000, immutable"


@router.get("/static/{name}")
def send_static(request: Request, name: str) -> FileResponse:
    path = STATIC / name
    if name not in FILES:
        raise NotFound(f"there is no file {name!r}")
    keep = FOR_GOOD if "v" in request.query_params else "no-cache"
    return FileResponse(path, headers={"Cache-Control": keep, "X-Content-Type-Options": "nosniff"})


FILES = frozenset(path.name for path in STATIC.iterdir() if path.is_file())
