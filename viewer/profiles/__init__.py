"""Profiles: what the fields of one family of states mean, as data.

A profile is a folder with ``profile.toml``; ours are under ``schemas/``, a user brings another by
path. Nothing in a profile is code: a rule is a name with arguments, a place is a JSON Pointer.
"""

from viewer.profiles.loading import (
    FILE,
    PLAIN,
    Profile,
    builtin_names,
    builtin_profiles,
    choose,
    load_profile,
)
from viewer.profiles.rule_sections import Rule, When
from viewer.profiles.sections import (
    Approval,
    Fields,
    Grounding,
    Match,
    ProfileFile,
    Projection,
    Schema,
    Status,
    Transition,
    UsageFields,
    profile_json_schema,
)

__all__ = [
    "FILE",
    "PLAIN",
    "Approval",
    "Fields",
    "Grounding",
    "Match",
    "Profile",
    "ProfileFile",
    "Projection",
    "Rule",
    "Schema",
    "Status",
    "Transition",
    "UsageFields",
    "When",
    "builtin_names",
    "builtin_profiles",
    "choose",
    "load_profile",
    "profile_json_schema",
]
