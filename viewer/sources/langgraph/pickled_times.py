"""The times in pickles, which Python packs into bytes of its own (``datetime.__reduce_ex__``)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

_FOLD = 0x80
_PACKED = 10
"""Bytes: two of the year, one each of month (with the fold), day, hour, minute and second, three
of the microseconds."""


def pickled_time(type_name: str, args: Sequence[Any] | None) -> str | None:
    """Return the ISO 8601 text of a pickled ``datetime.datetime``; None for anything else.

    A time zone counts where it is a fixed offset; from its name alone nothing can be told.

    Args:
        type_name: ``module.Name`` of the stub.
        args: what it would have been made of.
    """
    if type_name != "datetime.datetime" or not args or len(args) > 2:
        return None
    packed, *zone = args
    if not isinstance(packed, bytes) or len(packed) != _PACKED:
        return None
    try:
        year, month, microsecond = packed[:2], packed[2] & ~_FOLD, packed[7:]
        day, hour, minute, second = packed[3:7]
        moment = datetime(int.from_bytes(year, "big"), month, day, hour, minute, second)  # noqa: DTZ001 (the zone follows)
        moment = moment.replace(microsecond=int.from_bytes(microsecond, "big"))
        return (moment.replace(tzinfo=_offset(zone[0])) if zone else moment).isoformat()
    except (AttributeError, ValueError, TypeError, OverflowError):
        return None


def _offset(zone: Any) -> timezone:
    """Return the zone that the stub of a ``datetime.timezone`` stands for.

    Raises:
        AttributeError, ValueError: it is something else.
    """
    (distance, *_) = zone.args
    parts = distance.args
    if zone.type_name != "datetime.timezone" or distance.type_name != "datetime.timedelta":
        raise ValueError("no fixed offset")
    if not all(type(part) is int for part in parts):
        raise ValueError("no fixed offset")
    away = timedelta(*parts)
    return timezone(away) if away else UTC
