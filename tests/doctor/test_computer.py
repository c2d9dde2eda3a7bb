"""What the doctor says of a computer: display libraries with the line that installs them, disk, file system, clock, programs, sign-ins."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.engine.doctor import display, machine
from quarterdeck.engine.doctor.display import PACKAGES, examine_display, install_line, missing_of, try_to_load
from quarterdeck.engine.doctor.findings import (
    Examination,
    Finding,
    Health,
    examination_from_json,
    examination_to_json,
)
from quarterdeck.engine.doctor.programs import examine_programs
from quarterdeck.engine.doctor.sign_ins import KeptSignIns, examine_sign_ins
from quarterdeck.engine.household import AgentProgram, AgentsLooked
from quarterdeck.engine.secret_vault import Keyring, SecretVault
from quarterdeck.store.credentials_file import write_credential

TOP = Path(__file__).parents[2]
ABSENT = "libquarterdeck-absent.so.9"
CURSOR = "libxcb-cursor.so.0"
HAS_DISPLAY = {"DISPLAY": ":0"}


def release(folder: Path, text: str) -> Path:
    path = folder / "os-release"
    path.write_text(text)
    return path


# ------------------------------------------------------------------------------------------- display


def test_the_packages_are_those_that_the_start_script_installs() -> None:
    script = (TOP / "packaging" / "setup.sh").read_text()
    found = re.search(r'DISPLAY_PACKAGES="([^"]+)"', script)
    assert found is not None
    assert set(PACKAGES.values()) == set(found[1].split()) - {"fonts-dejavu-core"}


def test_a_library_that_is_not_there_is_named_by_the_loader_itself() -> None:
    failed = try_to_load([ABSENT, "libc.so.6"])
    assert failed is not None
    assert list(failed) == [ABSENT]
    assert missing_of(failed) == ([ABSENT], [])


def test_what_a_library_itself_misses_is_told_once() -> None:
    plugin = f"{CURSOR}: cannot open shared object file: No such file or directory"
    missing, other = missing_of({CURSOR: plugin, "/qt/libqxcb.so": plugin, "/x": "/x: invalid ELF header"})
    assert missing == [CURSOR]
    assert other == ["/x: invalid ELF header"]


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("ID=debian", "sudo apt-get install --no-install-recommends libxcb-cursor0 libegl1"),
        (
            'ID=linuxmint\nID_LIKE="ubuntu debian"',
            "sudo apt-get install --no-install-recommends libxcb-cursor0 libegl1",
        ),
        ("ID=fedora", "sudo dnf install 'libxcb-cursor.so.0()(64bit)' 'libEGL.so.1()(64bit)'"),
        (
            'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"',
            "sudo zypper install 'libxcb-cursor.so.0()(64bit)' 'libEGL.so.1()(64bit)'",
        ),
        ("ID=arch", "Install your system's packages that hold libxcb-cursor.so.0, libEGL.so.1."),
        ("", "Install your system's packages that hold libxcb-cursor.so.0, libEGL.so.1."),
    ],
)
def test_the_exact_line_that_installs_them(tmp_path: Path, system: str, line: str) -> None:
    assert install_line([CURSOR, "libEGL.so.1"], release(tmp_path, system), is_root=False) == line


def test_root_needs_no_sudo_and_what_is_in_no_table_is_told(tmp_path: Path) -> None:
    debian = release(tmp_path, "ID=debian")
    assert (
        install_line([CURSOR], debian, is_root=True)
        == "apt-get install --no-install-recommends libxcb-cursor0"
    )
    told = install_line([CURSOR, ABSENT], debian, is_root=True)
    assert told.startswith("apt-get install --no-install-recommends libxcb-cursor0 ; then: ")
    assert ABSENT in told
    assert install_line([], debian) == ""
    assert install_line([CURSOR], tmp_path / "none", is_root=True).startswith("Install your system's")


def test_a_missing_library_breaks_the_window_and_without_a_display_only_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(display, "PACKAGES", {ABSENT: "libquarterdeck-absent9"})
    broken = examine_display(HAS_DISPLAY)
    assert broken.health is Health.BROKEN
    assert broken.facts["missing"] == [ABSENT]
    assert broken.to_do
    assert examine_display({}).health is Health.NOTE


def test_qt_s_own_plugin_is_tried_and_nothing_of_qt_is_imported() -> None:
    plugin = display.qt_plugin()
    assert plugin is not None
    assert plugin.name == "libqxcb.so"
    assert examine_display({}).facts["plugin"] == str(plugin)


def test_without_qt_the_window_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "qt_plugin", lambda: None)
    assert examine_display({}).health is Health.BROKEN


# ------------------------------------------------------------------------------------------- machine


def test_a_disk_that_takes_records_is_fine_and_keeps_nothing_of_the_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "SCARCE_BYTES", 0)
    monkeypatch.setattr(machine, "LITTLE_BYTES", 0)
    found = machine.examine_disk(tmp_path)
    assert found.health is Health.FINE
    assert found.facts["free_bytes"] > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_yet_is_judged_by_the_one_above_it(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    assert machine.nearest(deep) == tmp_path
    assert machine.examine_disk(deep).health is not Health.BROKEN
    assert not deep.exists()


def test_what_cannot_be_written_to_is_broken(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    found = machine.examine_disk(file)
    assert found.health is Health.BROKEN
    assert str(file) in found.said


@pytest.mark.parametrize(
    ("little", "scarce", "health"), [(0, 2**70, Health.NOTE), (2**70, 2**70, Health.BROKEN)]
)
def test_little_room_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, little: int, scarce: int, health: Health
) -> None:
    monkeypatch.setattr(machine, "LITTLE_BYTES", little)
    monkeypatch.setattr(machine, "SCARCE_BYTES", scarce)
    assert machine.examine_disk(tmp_path).health is health


@pytest.mark.parametrize(
    ("kind", "is_network", "is_refused", "health"),
    [
        ("ext4", False, False, Health.FINE),
        ("tmpfs", False, False, Health.NOTE),
        ("nfs4", True, True, Health.BROKEN),
        ("nfs4", True, False, Health.NOTE),
        ("", False, False, Health.UNCHECKED),
    ],
)
def test_the_kind_of_file_system_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    is_network: bool,
    is_refused: bool,
    health: Health,
) -> None:
    monkeypatch.setattr(machine, "file_system", lambda _folder: ("/somewhere", kind))
    monkeypatch.setattr(machine, "network_system", lambda _folder: kind if is_network else "")
    monkeypatch.setattr(machine, "refused_system", lambda _folder: kind if is_refused else "")
    found = machine.examine_file_system(tmp_path)
    assert found.health is health
    assert kind in found.said


def test_a_clock_that_cannot_be_right_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_s = Path(machine.quarterdeck.__file__).stat().st_mtime
    monkeypatch.setattr(machine, "clock_is_kept", lambda: True)
    assert machine.examine_clock(tmp_path, made_s + 60).health is Health.FINE
    assert machine.examine_clock(tmp_path, made_s - 10 * 86_400).health is Health.BROKEN
    (tmp_path / "ledger.jsonl").touch()
    later = machine.examine_clock(tmp_path, (tmp_path / "ledger.jsonl").stat().st_mtime - 3_600)
    assert later.health in {Health.NOTE, Health.BROKEN}
    monkeypatch.setattr(machine, "clock_is_kept", lambda: False)
    assert machine.examine_clock(tmp_path / "none", made_s + 60).health is Health.NOTE


def test_the_kernel_is_asked_about_its_clock_and_nothing_is_set() -> None:
    assert machine.clock_is_kept() in {True, False, None}


# ------------------------------------------------------------------------------------------- programs, sign-ins


def test_each_program_is_told_with_version_and_place_and_what_only_the_login_shell_finds() -> None:
    """Case 131."""
    looked = AgentsLooked(
        (
            AgentProgram("claude", "/usr/bin/claude", "2.1.197"),
            AgentProgram("codex", "/opt/nvm/bin/codex", "0.55.0", only_in_login=True),
            AgentProgram("gemini", "/usr/bin/gemini", fault="It did not tell its version (exit 1)."),
            AgentProgram("qwen"),
        )
    )
    found = {one.id: one for one in examine_programs(looked)}
    assert found["program.claude"].health is Health.FINE
    assert found["program.claude"].said == "2.1.197 at /usr/bin/claude."
    assert found["program.codex"].health is Health.NOTE
    assert "/opt/nvm/bin" in found["program.codex"].to_do
    assert found["program.gemini"].health is Health.NOTE
    assert found["programs"].facts == {"missing": ["qwen"]}


def test_no_program_is_a_note_and_a_shell_that_says_nothing_too() -> None:
    found = list(examine_programs(AgentsLooked((AgentProgram("claude"),), "It said nothing.")))
    assert [one.health for one in found] == [Health.NOTE, Health.NOTE]


NO_KEYRING = SecretVault(lambda: None)


def test_each_listed_sign_in_is_told_and_how_it_is_tested(tmp_path: Path) -> None:
    write_credential(tmp_path, Credential("work", program="claude-code", endpoint="https://api.example"))
    write_credential(tmp_path, Credential("mine", CredentialKind.OWN_LOGIN))
    found = {one.id: one for one in examine_sign_ins(KeptSignIns(tmp_path, NO_KEYRING))}
    assert found["sign-in.work"].said.startswith("For claude-code, a key, at https://api.example.")
    assert found["sign-in.mine"].said.startswith("For any program, the program's own login.")
    assert "not tested" in found["sign-in.work"].said
    assert found["sign-in.work"].to_do == "quarterdeck credentials test work"
    assert found["keyring"].health is Health.NOTE
    assert "no keyring" in found["keyring"].said


def test_a_list_that_cannot_be_read_is_broken_and_an_empty_one_is_fine(tmp_path: Path) -> None:
    kept = KeptSignIns(tmp_path, NO_KEYRING)
    assert [(one.id, one.health) for one in examine_sign_ins(kept)] == [
        ("sign-ins", Health.FINE),
        ("keyring", Health.NOTE),
    ]
    (tmp_path / "credentials.toml").write_text("[[[")
    assert next(examine_sign_ins(kept)).health is Health.BROKEN


def test_a_keyring_that_does_not_answer_is_told(tmp_path: Path) -> None:
    def refuses() -> Keyring:
        raise RuntimeError("locked")

    (*_, keyring) = examine_sign_ins(KeptSignIns(tmp_path, SecretVault(refuses)))
    assert keyring.health is Health.NOTE
    assert keyring.to_do


def test_the_document_tells_everything_and_is_read_back() -> None:
    findings = (
        Finding("disk", "Disk", Health.FINE, "Fine.", facts={"free_bytes": 1}),
        Finding("clock", "Clock", Health.NOTE, "Hm.", "Set it."),
    )
    examination = Examination("1.0", findings)
    document = examination_to_json(examination)
    assert document["healthy"] is True
    assert examination_from_json(document) == examination
    broken = Examination("1.0", (*findings, Finding("x", "X", Health.BROKEN, "No.")))
    assert examination_to_json(broken)["healthy"] is False
