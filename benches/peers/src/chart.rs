//! The minima as bars: a block an operation, a column a parameter set, a line a peer.

use crate::case::Op;
use crate::peers::SETS;
use crate::report::{Row, names};
use std::fmt::Write;

const NAMES: f64 = 178.0;
const COLUMN: f64 = 264.0;
/// Of a column, where the longest bar ends; the figure stands behind it.
const BAR: f64 = 196.0;
const LINE: f64 = 17.0;
const WIDTH: f64 = NAMES + 3.0 * COLUMN;
/// The longest bar, as a multiple of the fastest peer's. What is longer is cut.
const LONGEST: f64 = 3.0;

/// Colours for light and dark; the background is drawn, so that one of the two always fits it.
const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.ours-name { font-weight: 600 }
.page, .cut { fill: #ffffff }
.ours { fill: #2563eb }
.peer { fill: #8b949e }
.estimate { fill: #8b949e; fill-opacity: 0.35; stroke: #8b949e; stroke-dasharray: 3 2 }
.rule { stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .page, .cut { fill: #0d1117 }
  .ours { fill: #58a6ff }
  .rule { stroke: #30363d }
}
";

macro_rules! line {
    ($out:expr, $($format:tt)*) => {
        writeln!($out, $($format)*).expect("a string takes all")
    };
}

pub fn svg(rows: &[Row]) -> String {
    let mut body = String::new();
    let mut y = 24.0;
    line!(
        body,
        r#"<text class="title" x="12" y="{y}">ML-KEM, microseconds a call (minimum): shorter is faster</text>"#
    );
    for (set, x) in columns() {
        line!(
            body,
            r#"<text class="title" x="{x}" y="48">ML-KEM-{set}</text>"#
        );
    }
    y = 60.0;
    for op in Op::ALL {
        y = block(&mut body, rows, op, y);
    }
    y += 6.0;
    line!(
        body,
        r#"<text x="12" y="{}">Dashed: estimated. Cut: longer than {LONGEST} times the fastest peer.</text>"#,
        y + LINE
    );
    let height = y + 2.0 * LINE;
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="Bar chart of ML-KEM timings; the same figures are in the tables of benchmarks.md">
<style>
{STYLE}</style>
<rect class="page" width="{WIDTH}" height="{height}"/>
{body}</svg>
"#
    )
}

/// Each set, and where its column begins.
fn columns() -> impl Iterator<Item = (usize, f64)> {
    let starts = (0u8..).map(|i| NAMES + f64::from(i) * COLUMN);
    SETS.iter().copied().zip(starts)
}

/// Draws one operation from `top` down, and says where it ends.
fn block(body: &mut String, rows: &[Row], op: Op, top: f64) -> f64 {
    let rows: Vec<Row> = rows.iter().filter(|row| row.op == op).cloned().collect();
    let mut y = top + 10.0;
    line!(
        body,
        r#"<line class="rule" x1="12" x2="{}" y1="{top}" y2="{top}"/>"#,
        WIDTH - 12.0
    );
    y += LINE;
    line!(
        body,
        r#"<text class="title" x="12" y="{}">{}</text>"#,
        y - 6.0,
        op.title()
    );
    for name in names(&rows) {
        let kind = if name.starts_with("pqbox/") {
            "ours"
        } else {
            "peer"
        };
        line!(
            body,
            r#"<text class="{kind}-name" x="{}" y="{}" text-anchor="end">{name}</text>"#,
            NAMES - 8.0,
            y + 13.0
        );
        for (set, x) in columns() {
            let of_set = || rows.iter().filter(|row| row.set == set);
            let Some(row) = of_set().find(|row| row.peer == name) else {
                continue;
            };
            let fastest_peer = of_set()
                .filter(|row| !row.is_ours())
                .fold(f64::INFINITY, |least, row| least.min(row.min));
            bar(body, row, x, y, row.min / (fastest_peer * LONGEST));
        }
        y += LINE;
    }
    y + 8.0
}

/// One bar, of `part` of the longest's length, and its figure.
fn bar(body: &mut String, row: &Row, x: f64, y: f64, part: f64) {
    let width = BAR * part.min(1.0);
    let class = match (row.is_ours(), row.peer.ends_with("(estimate)")) {
        (true, _) => "ours",
        (_, true) => "estimate",
        _ => "peer",
    };
    line!(
        body,
        r#"<rect class="{class}" x="{x}" y="{}" width="{width:.1}" height="{}"/>"#,
        y + 3.0,
        LINE - 5.0
    );
    if part > 1.0 {
        let cut = x + BAR - 16.0;
        line!(
            body,
            r#"<path class="cut" d="M{cut} {} l6 {} h5 l-6 -{} z"/>"#,
            y + 2.0,
            LINE - 3.0,
            LINE - 3.0
        );
    }
    line!(
        body,
        r#"<text x="{:.1}" y="{}">{:.2}</text>"#,
        x + width + 5.0,
        y + 13.0,
        row.min / 1000.0
    );
}
