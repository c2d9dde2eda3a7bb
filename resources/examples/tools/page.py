"""The report as one page of HTML: no script, no picture, no address of anything outside."""

from __future__ import annotations

from html import escape

from facts import Facts, Figure, Part, Table

STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #dde3ea; --card: #ffffff; --ground: #f4f6f9; --bar: #3f7cc4;
  --good: #1f7a4d; --bad: #b3372f; --head: #16324f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #98a4b3; --line: #2c3644; --card: #1a212b;
  --ground: #12171e; --bar: #5b9be6; --good: #5cc08d; --bad: #ef8a80; --head: #0d2236; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); line-height: 1.5;
  font: 15px/1.5 Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", Arial, sans-serif; }
header { background: var(--head); color: #fff; padding: 40px 24px 72px; }
header div, main { max-width: 1080px; margin: 0 auto; }
header p { margin: 4px 0 0; color: #b9cbe0; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 28px; letter-spacing: -0.01em; }
main { padding: 0 24px 64px; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: -44px 0 28px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px;
  box-shadow: 0 1px 2px rgb(0 0 0 / 6%); }
.tile b { display: block; font-size: 25px; font-weight: 650; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px 24px 24px; margin: 0 0 20px; }
h2 { margin: 0 0 12px; font-size: 19px; } h3 { margin: 24px 0 8px; font-size: 14px; color: var(--soft); font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 10px 20px; margin: 0; }
dt { color: var(--soft); font-size: 13px; } dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 12.5px; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: 1%; }
td.bar { width: 34%; padding-right: 0; } td.bar svg { display: block; margin-top: 5px; } rect { fill: var(--bar); }
.good { color: var(--good); } .bad { color: var(--bad); }
.problem { border-left: 3px solid var(--bad); padding: 6px 12px; margin: 0 0 12px; background: color-mix(in srgb, var(--bad) 8%, transparent); }
.remark { color: var(--soft); margin: 12px 0 0; }
@media (max-width: 700px) { .tiles, dl { grid-template-columns: repeat(2, 1fr); } section { padding: 16px; } }
footer { color: var(--soft); font-size: 13px; text-align: center; padding: 8px 0 0; }
"""
TILES = (
    "history.commits", "size.lines", "lint.findings", "tests.passed", "tests.failed", "structure.mean_complexity",
    "structure.dead", "todos.marks",
)  # fmt: skip
TILE_WORDS = {
    "history.commits": "commits", "size.lines": "lines", "lint.findings": "lint findings",
    "tests.passed": "tests passed", "tests.failed": "tests failed", "structure.mean_complexity": "mean complexity",
    "structure.dead": "seemingly unused", "todos.marks": "left for later",
}  # fmt: skip


def html_page(found: Facts) -> str:
    title = f"Repository check: {found.title}"
    by_key = {figure.key: figure for figure in found.figures}
    tiles = "".join(_tile(by_key[key]) for key in TILES if key in by_key)
    remark = f"<p>{_text(found.remark)}</p>" if found.remark else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header><div><h1>{_text(found.title)}</h1><p>{_text(found.folder)}</p>{remark}</div></header>\n"
        f'<main>\n<div class="tiles">{tiles}</div>\n'
        + "\n".join(_section(part) for part in found.parts)
        + "\n<footer>Repository check, an example workflow of Quarterdeck</footer>\n</main>\n</body>\n</html>\n"
    )


def _text(value: object) -> str:
    return escape(str(value), quote=True)


def _tile(figure: Figure) -> str:
    tone = f' class="{figure.tone}"' if figure.tone else ""
    return f'<div class="tile"><b{tone}>{_text(figure.shown())}</b><span>{TILE_WORDS[figure.key]}</span></div>'


def _section(part: Part) -> str:
    pieces = [f'<section id="{part.key}"><h2>{_text(part.title)}</h2>']
    if part.problem:
        pieces.append(f'<p class="problem">{_text(part.problem)}</p>')
    if part.figures:
        pieces.append("<dl>" + "".join(_figure(figure) for figure in part.figures) + "</dl>")
    pieces += [f'<p class="remark">{_text(remark)}</p>' for remark in part.remarks]
    pieces += [_table(table) for table in part.tables]
    return "".join(pieces) + "</section>"


def _figure(figure: Figure) -> str:
    tone = f' class="{figure.tone}"' if figure.tone else ""
    return f'<div><dt>{_text(figure.label)}</dt><dd data-figure="{figure.key}"{tone}>{_text(figure.shown())}</dd></div>'


def _table(table: Table) -> str:
    most = max((row[table.bar] for row in table.rows), default=0) if table.bar is not None else 0
    heads = "".join(f"<th{_number_class(table.rows[0][i])}>{_text(c)}</th>" for i, c in enumerate(table.columns))
    if table.bar is not None:
        heads += "<th></th>"
    rows = "".join(_row(table, row, most) for row in table.rows)
    return f'<h3>{_text(table.title)}</h3><div class="scroll"><table><tr>{heads}</tr>{rows}</table></div>'


def _row(table: Table, row: list, most: float) -> str:
    cells = "".join(f"<td{_number_class(value)}>{_cell(value)}</td>" for value in row)
    if table.bar is not None:
        width = 100 * row[table.bar] / most if most else 0
        cells += (
            '<td class="bar"><svg width="100%" height="9" aria-hidden="true">'
            f'<rect width="{width:.1f}%" height="9" rx="2"></rect></svg></td>'
        )
    return f"<tr>{cells}</tr>"


def _number_class(value: object) -> str:
    return ' class="number"' if isinstance(value, int | float) else ""


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else _text(value)
