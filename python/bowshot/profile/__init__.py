"""Where the time of a read went: `bowshot.query(…)`, a read, then `query.profile()`.

`times` holds the figures, `words` says what they mean, `table` prints them and `svg` draws them; docs/guide/profile.md
explains what each state is.
"""

from .times import ConnectionProfile, ConsumerProfile, ConsumerStretch, PartitionProfile, Profile, Stretch

__all__ = [
    "ConnectionProfile",
    "ConsumerProfile",
    "ConsumerStretch",
    "PartitionProfile",
    "Profile",
    "Stretch",
]
