"""What the tests of `python/tests` have too: private servers, tables, writers."""

from tests.conftest import postgres, shop, testkit
from tests.test_tickets import accounts, writers

__all__ = ["accounts", "postgres", "shop", "testkit", "writers"]
