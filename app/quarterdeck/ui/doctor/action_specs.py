"""The doctor's actions as data; they stand in the one table of `ui/action_specs.py`. No Qt."""

from __future__ import annotations

from quarterdeck.ui.action_spec import HELP, ActionSpec
from quarterdeck.ui.language import Texts

tr = Texts("Actions")

DOCTOR_SPECS = (
    ActionSpec(
        "doctor",
        tr.later("Doctor"),
        HELP,
        (),
        "activity",
        said=tr.later("health check problems computer trust"),
    ),
    ActionSpec(
        "check_computer",
        tr.later("Check this computer"),
        HELP,
        (),
        "cpu",
        said=tr.later("doctor programs keyring disk clock display libraries"),
    ),
    ActionSpec(
        "try_promises",
        tr.later("Try the three promises"),
        HELP,
        (),
        "graduation-cap",
        said=tr.later("doctor trust twin runs force-quit dead sign-in"),
    ),
    ActionSpec("copy_findings", tr.later("Copy what the doctor found"), HELP, (), "copy"),
)
