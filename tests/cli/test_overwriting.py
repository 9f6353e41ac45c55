"""No command overwrites its input."""

from __future__ import annotations

import pytest

from spanrs.cli.group import group
from spanrs.crf import CRF


@pytest.mark.parametrize(
    "args",
    [
        ("convert", "--to-scheme", "IOBES", "FILE", "-o"),
        ("spans", "FILE", "-o"),
        ("crf", "tag", "MODEL", "FILE", "-o"),
    ],
    ids=lambda args: " ".join(args[:2]),
)
@pytest.mark.parametrize("link", [False, True])
def test_an_input_is_not_overwritten(tmp_path, capsys, args, link):
    file, model, second = tmp_path / "file", tmp_path / "model", tmp_path / "link"
    file.write_text("Bob B-PER\nate O\n")
    second.symlink_to(file)
    CRF(template="ner", max_iter=2, progress=False).fit([["Bob", "ate"]], [["B-PER", "O"]]).save(model)
    named = {"FILE": str(file), "MODEL": str(model)}
    target = second if link else file
    with pytest.raises(SystemExit) as ended:
        group.main([*(named.get(arg, arg) for arg in args), str(target)], standalone_mode=True)
    assert ended.value.code == 2
    assert f"-o {target} is also an input" in " ".join(capsys.readouterr().err.split())
    assert file.read_text() == "Bob B-PER\nate O\n"
