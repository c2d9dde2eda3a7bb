"""Joins what the other agents found into one report, as Markdown and as a page of HTML that needs nothing else.

Reads the outputs of the nodes before it (QUARTERDECK_CONTEXT); both files are handed over as artifacts.
"""

from __future__ import annotations

import agent
import facts
import page
import words


def main() -> None:
    parts = {key: value for key, value in agent.outputs_before().items() if isinstance(value, dict)}
    missing = [name for name in facts.PARTS if name not in parts]
    found = facts.gather(parts)
    agent.progress(1, 3, "Markdown")
    markdown = words.markdown(found)
    agent.say("artifact", name="report.md", text=markdown)
    agent.progress(2, 3, "HTML")
    agent.say("artifact", name="report.html", text=page.html_page(found))
    agent.progress(3, 3, "done")
    agent.text(markdown.split("\n## ", 1)[0].strip())
    agent.output(
        {
            "title": found.title,
            "figures": {figure.key: figure.value for figure in found.figures},
            "problems": found.problems,
            "missing": missing,
        }
    )


if __name__ == "__main__":
    main()
