"""How large a run is, and which gateway it measures."""

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Names the gateway's program where no option does.
VARIABLE = "BOWSHOT_BINARY"


@dataclass(frozen=True)
class Settings:
    """Sizes: for a run that counts, or for one that only shows that everything works."""

    binary: Path
    quick: bool = False

    @property
    def scale(self) -> float:
        """TPC-H's scale factor where nothing but loopback is between client and server."""
        return 0.01 if self.quick else 1.0

    @property
    def network_scale(self) -> float:
        """TPC-H's scale factor behind a slow link: 105 MB of Arrow at 0.1, some ten seconds at 100 Mbit/s."""
        return 0.01 if self.quick else 0.1

    @property
    def wide_rows(self) -> int:
        """Rows of the tables with twenty columns: StarRocks' smallest size."""
        return 20_000 if self.quick else 1_000_000

    @property
    def acs_rows(self) -> int:
        """Rows of the census: about 100 MB of Arrow in a full run."""
        return 2_000 if self.quick else 130_000

    @property
    def ontime_rows(self) -> int:
        """Rows of the flights: about 100 MB of Arrow in a full run."""
        return 10_000 if self.quick else 220_000

    @property
    def codec_rounds(self) -> int:
        """How often each codec is measured behind a link in every round: losses come by chance."""
        return 1 if self.quick else 4

    @property
    def readers(self) -> int:
        """Readers that read one batch and then none."""
        return 8 if self.quick else 64

    @property
    def stall_seconds(self) -> float:
        """How long they stall."""
        return 2.0 if self.quick else 15.0

    @property
    def first_batches(self) -> int:
        """How often the time to the first batch is taken."""
        return 3 if self.quick else 20

    @property
    def database(self) -> str:
        """The database of the tables that the gateway's benchmark makes for itself."""
        return f"gateway_{self.wide_rows}_{self.acs_rows}_{self.ontime_rows}"


def default_binary() -> Path:
    """Returns the program that the environment names, else what `make build` makes."""
    return Path(os.environ.get(VARIABLE) or ROOT / ".venv" / "bin" / "bowshot")
