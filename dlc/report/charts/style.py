"""How a page looks."""

STYLE = """
body { font: 14px system-ui, sans-serif; margin: 24px; max-width: 1120px; color: #222; }
h1 { font-size: 22px; } h2 { font-size: 17px; margin-top: 32px; } p { max-width: 860px; }
svg { display: block; font: 12px system-ui, sans-serif; overflow: visible; }
svg a { fill: #222; text-decoration: none; } svg a:hover { fill: #06c; }
.small { font-size: 11px; fill: #666; }
.arc { fill: none; stroke: #aaa; } .arc.critical { stroke: #d00; stroke-width: 2; }
.dot.critical { stroke: #d00; stroke-width: 1.5; }
.name.critical { font-weight: 600; }
.bound { stroke: #000; stroke-width: 2; } .total { fill: #4e79a7; }
.grid { stroke: #e4e4e4; } .roof { stroke: #444; stroke-width: 1.5; }
.point { fill-opacity: 0.75; }
svg .small { paint-order: stroke; stroke: #fff; stroke-width: 2.5px; }
.bar { stroke: #fff; stroke-width: 0.5; }
.bar.critical { stroke: #d00; stroke-width: 0.8; }
.curve { fill: none; stroke-width: 2; }
.buffer { fill: #4e79a7; fill-opacity: 0.55; stroke: #fff; stroke-width: 0.5; }
.key { display: inline-block; width: 11px; height: 11px; margin-right: 5px; }
.named { white-space: nowrap; margin-right: 14px; }
.beside { display: flex; flex-wrap: wrap; gap: 12px; }
details { border-top: 1px solid #eee; padding: 4px 0; } summary { cursor: pointer; }
table { border-collapse: collapse; margin: 6px 0 6px 16px; }
th, td { text-align: left; vertical-align: top; padding: 2px 12px 2px 0; overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; } .advice p { margin: 0; }
.gain { white-space: nowrap; } .candidates td { font-variant-numeric: tabular-nums; }
"""
