"""Bars of several methods in groups, as SVG."""

COLOURS = ["#9aa5b1", "#c7b299", "#8fbf9f", "#d9a05b", "#5b8fd9", "#b07cc6", "#d97b7b", "#1667b7"]
BAR, GAP, HEIGHT, MOST = 14, 26, 240, 1.0  # pixels; shares are drawn up to 100 %


def bars(title, groups, methods, covered=None, note=""):
    """A group of bars for each of groups: (name, {method: share}); methods without a share have none.

    `covered`: {(group, method): share of what was asked that the method answers}, where that is not all; such
    a bar is pale and its title says so. `note` stands below. A bar above 100 % is cut, its figure on top.
    """
    covered = covered or {}
    wide = len(methods) * BAR + GAP
    width = max(60 + wide * len(groups), 500)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + 110}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{HEIGHT + 110}" fill="white"/>',
        f'<text x="10" y="16" font-weight="bold">{title}</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = 30 + HEIGHT * (1 - share)
        parts.append(f'<path d="M45 {y:.0f}H{width}" stroke="#ddd"/>')
        parts.append(f'<text x="40" y="{y + 4:.0f}" text-anchor="end">{100 * share:.0f} %</text>')
    for g, (name, shares) in enumerate(groups):
        left = 50 + g * wide
        for m, method in enumerate(methods):
            if shares.get(method) is None:
                continue
            tall = HEIGHT * min(shares[method], MOST)
            words = f"{method}, {name}: {100 * shares[method]:.1f} %"
            part, pale = covered.get((name, method)), ""
            if part is not None:
                words += f" of {100 * part:.0f} %; it has no answer for the rest"
                pale = ' fill-opacity="0.4" stroke-dasharray="2" stroke="#555"'
            parts.append(
                f'<rect x="{left + m * BAR}" y="{30 + HEIGHT - tall:.1f}" width="{BAR - 2}" '
                f'height="{tall:.1f}" fill="{COLOURS[m]}"{pale}><title>{words}</title></rect>'
            )
            if shares[method] > MOST:
                top = f"{100 * shares[method]:.0f} %"
                parts.append(f'<text x="{left + m * BAR}" y="27" font-size="9">{top}</text>')
        middle = left + len(methods) * BAR / 2
        parts.append(f'<text x="{middle:.0f}" y="{HEIGHT + 46}" text-anchor="middle">{name}</text>')
    for m, method in enumerate(methods):
        x, y = 10 + (m % 4) * 120, HEIGHT + 62 + (m // 4) * 16
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[m]}"/>')
        parts.append(f'<text x="{x + 14}" y="{y}">{method}</text>')
    if covered:
        note = "; ".join(filter(None, [note, "pale and dashed: of a part alone, the rest has no answer"]))
    if note:
        parts.append(f'<text x="10" y="{HEIGHT + 100}" font-style="italic">{note}</text>')
    return "\n".join([*parts, "</svg>", ""])
