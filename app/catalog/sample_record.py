"""The recorded samples of a verified package, with their answers: `samples/<slug>.json` beside the packages.

With it, pages show the samples and wrong answers get hints before this server has run the reference. It is only for
display and hints: judging compares with answers that this server has computed. It holds nothing of hidden cases.

The record is not a part of the package, since its values depend on the machine. Its digest names the content that it
belongs to, so the record of an older content counts for nothing.
"""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

FOLDER = "samples"


class SampleRecord(BaseModel):
    """By sample, `previews` has the inputs and the expected output. By known mistake, `mistakes` has its answers.

    The answers to all samples are one encoded value, in base64.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    previews: dict[str, tuple[dict[str, Any], dict[str, Any]]]
    mistakes: dict[str, str]


def find_sample_record(package: Path, digest: str) -> SampleRecord | None:
    """Find the record of this content of a package's folder. A record that can't be read is as good as none."""
    try:
        record = SampleRecord.model_validate_json(_file_of(package).read_bytes())
    except (OSError, ValidationError):
        return None
    return record if record.digest == digest else None


def write_sample_record(package: Path, record: SampleRecord) -> None:
    """Write the record atomically, so that an interruption leaves a whole one."""
    file = _file_of(package)
    file.parent.mkdir(exist_ok=True)
    copy = file.with_suffix(".new")
    copy.write_text(record.model_dump_json() + "\n", encoding="utf-8")
    copy.replace(file)


def _file_of(package: Path) -> Path:
    folder = package.resolve()
    return folder.parent / FOLDER / f"{folder.name}.json"
