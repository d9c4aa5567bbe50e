"""The console in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect
from tests.console.steps import ask, served

SLOW = "SELECT pg_sleep(3600)"


def test_the_overview_shows_what_runs_and_which_endpoints_wait(page: Page, console: str) -> None:
    page.goto(console)
    expect(page).to_have_title("Overview · Bowshot")
    expect(page.locator("#pulse")).to_have_text("live")
    expect(page.locator("#visitor")).to_have_text("anonymous")
    expect(page.locator("#figure-running")).to_have_text("2")
    expect(page.locator("#figure-queued")).to_have_text("1")
    expect(page.locator("#figure-reading")).to_have_text("4")
    expect(page.locator("#figure-waiting")).to_have_text("1")
    expect(page.locator("#figure-rows")).to_have_text(re.compile(r"\dM$"))
    expect(page.locator("#figure-bytes")).to_have_text(re.compile(r"\dMB$"))
    lineitem = page.get_by_role("list", name="Running").locator("> li").filter(has_text="FROM lineitem")
    expect(lineitem.locator(".state")).to_have_text("reading")
    expect(lineitem.locator(".meta")).to_contain_text("4 endpoints because the pages of lineitem were split")
    expect(lineitem.locator(".meta")).to_contain_text(
        re.compile(r"[\d.,]+ rows · [\d.]+ [MG]B of Arrow · .* on the wire")
    )
    endpoints = lineitem.locator(".endpoint")
    expect(endpoints).to_have_count(4)
    expect(endpoints.nth(3)).to_have_class("endpoint waiting")
    expect(endpoints.nth(3)).to_contain_text("3 waiting")
    expect(endpoints.nth(0)).to_contain_text(re.compile(r"0 reading\s*[\d.]+ [MG]B"))
    # The bar of whoever has sent most is whole, and that of who waits is empty.
    widths = endpoints.locator(".fill").evaluate_all("bars => bars.map(bar => bar.style.width)")
    assert "100%" in widths[:3]
    assert widths[3] == "0%"


def test_the_overview_shows_sources_and_whether_they_answer(page: Page, console: str) -> None:
    page.goto(console)
    sources = page.get_by_role("list", name="Sources").locator("li")
    expect(sources).to_have_count(4)
    expect(sources.nth(0)).to_have_text("shopPostgreSQLreachable: 16.4")
    expect(sources.nth(2)).to_contain_text("not reachable: no answer from the server in 5 s")
    expect(sources.nth(3)).to_contain_text("not asked yet")


def test_throughput_is_drawn_in_bytes_and_in_rows(page: Page, console: str) -> None:
    page.goto(console)
    chart = page.get_by_role("img", name="Throughput of the last five minutes")
    expect(page.locator("#throughput-legend")).to_have_text("Arrow a secondon the wire a second")
    expect(chart.locator("path.line")).to_have_count(2)
    expect(chart.locator("path.area")).to_have_count(1)
    expect(chart.locator("text").filter(has_text=re.compile(r"^\d+ MB$")).first).to_be_visible()
    page.get_by_text("Rows", exact=True).first.click()
    expect(chart.locator("path.line")).to_have_count(1)
    expect(page.locator("#throughput-legend")).to_have_text("rows a second")
    chart.hover()
    expect(chart.locator("text").last).to_have_text(re.compile(r"^\d\d:\d\d:\d\d · rows "))


def test_a_statement_is_killed_after_a_question(page: Page, console: str) -> None:
    page.goto(console)
    running = page.get_by_role("list", name="Running").locator("> li")
    expect(running).to_have_count(3)
    queued = running.filter(has_text="SELECT * FROM invoices")
    end = queued.get_by_role("button", name=re.compile("^End statement"))
    end.click()
    question = page.get_by_role("dialog", name="End this statement?")
    expect(question).to_contain_text("nightly began it")
    expect(question.locator("pre")).to_have_text("SELECT * FROM invoices")
    question.get_by_role("button", name="Let it run").click()
    expect(question).to_be_hidden()
    expect(running).to_have_count(3)
    end.click()
    question.get_by_role("button", name="End it").click()
    expect(question).to_be_hidden()
    expect(running).to_have_count(2)
    expect(page.locator("#figure-queued")).to_have_text("0")
    page.get_by_role("link", name="History").click()
    killed = page.locator("#history tbody tr").first
    expect(killed).to_contain_text("cancelled")
    killed.get_by_role("button").click()
    expect(page.locator("#history tr.more")).to_contain_text("killed by anonymous")


def test_a_query_has_a_table_with_every_digit(page: Page, console: str) -> None:
    page.goto(f"{console}/#query")
    expect(page.locator("#query-empty")).to_be_visible()
    page.get_by_label("At most").select_option("100")
    ask(page, "SELECT * FROM orders")
    table = page.locator("#rows")
    expect(page.locator("#answered")).to_have_text(
        re.compile(r"^100 rows · 4 columns · .* · there are more rows than these$")
    )
    expect(table.locator("th").nth(3)).to_have_text("o_totalpricedecimal128(15, 2)")
    expect(table.locator("tbody tr")).to_have_count(100)
    expect(table.locator("tbody tr").nth(0).locator("td")).to_have_text(
        ["9007199254740993", "1994-08-23", "BRAZIL", "12345.67"]
    )
    assert table.locator("td.number").first.evaluate("cell => getComputedStyle(cell).textAlign") == "right"
    page.get_by_label("At most").select_option("1000")
    page.get_by_role("button", name="Run").click()
    expect(table.locator("tbody tr")).to_have_count(200)
    page.get_by_role("button", name="Show 200 more of 800").click()
    expect(table.locator("tbody tr")).to_have_count(400)


def test_a_result_is_drawn_as_bars_and_as_a_line(page: Page, console: str) -> None:
    page.goto(f"{console}/#query")
    ask(page, "SELECT nation, orders, revenue FROM revenue_by_nation")
    chart = page.get_by_role("img", name="revenue of all rows as bars")
    expect(chart.locator("rect")).to_have_count(8)
    expect(chart.locator("text").filter(has_text="BRAZIL")).to_have_count(1)
    page.locator("#chart-value").select_option(label="orders")
    # One of them is NULL: no bar, and a gap in the line.
    chart = page.get_by_role("img", name="orders of all rows as bars")
    expect(chart.locator("rect")).to_have_count(7)
    expect(page.locator("#rows td.null")).to_have_text(["NULL"])
    page.get_by_text("Line", exact=True).click()
    expect(page.get_by_role("img", name="orders of all rows as a line").locator("path.line")).to_have_count(2)


def test_an_error_shows_the_place_and_the_way_out(page: Page, console: str) -> None:
    page.goto(f"{console}/#query")
    ask(page, "SELECT *\nFROM lineitems")
    problem = page.get_by_role("alert")
    expect(problem.get_by_role("heading")).to_have_text('relation "lineitems" does not exist')
    assert problem.locator("pre").inner_text() == "FROM lineitems\n     ^"
    expect(problem).to_contain_text('perhaps you meant the table "lineitem"')
    expect(problem).to_contain_text("sql · SQLSTATE 42P01")
    ask(page, "")
    expect(problem.get_by_role("heading")).to_have_text("the statement is empty")


def test_a_query_that_is_stopped_ends_in_its_source(page: Page, console: str) -> None:
    page.goto(f"{console}/#query")
    ask(page, SLOW)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#answered")).to_have_text("Stopped; the source was told.")
    page.get_by_role("link", name="History").click()
    stopped = page.locator("#history tbody tr").first
    expect(stopped).to_contain_text(SLOW)
    expect(stopped).to_contain_text("cancelled")


def test_the_history_is_filtered_and_goes_back_to_the_box(page: Page, console: str) -> None:
    page.goto(f"{console}/#history")
    rows = page.locator("#history tbody tr")
    expect(rows).to_have_count(6)
    expect(page.locator("#history-count")).to_have_text("6 statements")
    page.get_by_label("Filter the history").fill("MIRA lineitem")
    expect(rows).to_have_count(2)
    expect(page.locator("#history-count")).to_have_text("2 of 6 statements")
    page.get_by_label("Filter the history").fill("")
    page.get_by_role("combobox", name="State").select_option("expired")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("SELECT * FROM partsupp")
    page.get_by_role("combobox", name="State").select_option("failed")
    rows.first.get_by_role("button").click()
    details = page.locator("#history tr.more")
    expect(details).to_contain_text('sql: relation "lineitems" does not exist')
    details.get_by_role("button", name="Open in Query").click()
    expect(page).to_have_title("Query · Bowshot")
    expect(page.get_by_label("SQL", exact=True)).to_have_value("SELECT * FROM lineitems")
    expect(page.get_by_role("combobox", name="Source")).to_have_value("shop")
    page.get_by_role("link", name="History").click()
    page.get_by_label("Filter the history").fill("no such thing")
    expect(page.locator("#history-empty")).to_have_text("No statement fits the filter.")


def test_the_keyboard_reaches_everything(page: Page, console: str) -> None:
    page.goto(console)
    expect(page.get_by_role("list", name="Running").locator("> li")).to_have_count(3)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    for name in ["bowshot", "Overview", "Query", "History"]:
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name=name, exact=True)).to_be_focused()
    end = page.get_by_role("button", name=re.compile("^End statement")).first
    end.focus()
    page.keyboard.press("Enter")
    question = page.get_by_role("dialog")
    expect(question.get_by_role("button", name="Let it run")).to_be_focused()
    # The list is drawn anew each second below it.
    page.wait_for_timeout(1_500)
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(end).to_be_focused()
    nameless = (
        "all => all.filter(one => !one.textContent && !one.ariaLabel && !one.labels?.length).map(one => one.outerHTML)"
    )
    assert page.locator("button:not([hidden]), input, select, textarea, a").evaluate_all(nameless) == []


def test_an_idle_console_says_what_will_be_there(page: Page, idle: str) -> None:
    page.goto(idle)
    expect(page.locator("#running-empty")).to_be_visible()
    expect(page.locator("#figure-running")).to_have_text("0")
    expect(page.locator("#figure-bytes")).to_have_text("0B")
    expect(page.locator("#throughput path.line")).to_have_count(2)
    page.get_by_role("link", name="History").click()
    expect(page.locator("#history-empty")).to_have_text("No statement has ended yet.")


def test_a_gateway_that_is_gone_is_said_to_be(page: Page, command: list[str]) -> None:
    with served(command) as address:
        page.goto(address)
        expect(page.locator("#pulse")).to_have_text("live")
    expect(page.locator("#pulse")).to_have_text("the gateway does not answer")
    page.goto("about:blank")


def test_text_of_strangers_is_never_taken_for_html(page: Page, console: str) -> None:
    page.goto(f"{console}/#query")
    ask(page, "SELECT '<img src=x onerror=alert(1)>' FROM nation")
    expect(page.locator("#rows")).to_be_visible()
    page.get_by_role("link", name="History").click()
    row = page.locator("#history tbody tr").first
    expect(row).to_contain_text("<img src=x onerror=alert(1)>")
    row.get_by_role("button").click()
    assert page.locator("#history img").count() == 0
