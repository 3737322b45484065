"""Shows sample reports in a headless Chromium, at desk and phone width, by day and by night, and checks what is seen.

report_browser_test.py SAMPLE_REPORT_PROGRAM OUTPUT_FOLDER
Leaves its screenshots in the folder. Exit code 77: there is no Chromium.
"""

import subprocess
import sys
from pathlib import Path

import chromium

SECTIONS = ("figures", "curves", "confusion", "mistakes", "costs", "operations", "memory", "setup")
# name, width, height, dark, phone
VIEWS = (("desk", 1280, 900, False, False), ("desk-dark", 1280, 900, True, False), ("tablet", 820, 1100, False, False),
         ("phone", 390, 844, False, True), ("phone-dark", 390, 844, True, True), ("narrow", 320, 640, False, True))

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print("FAILED:", message)


def luminance(browser, selector, what):
    """Relative luminance of a computed colour, 0 black to 1 white."""
    text = browser.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")
    channels = [float(c) / 255 for c in text[text.index("(") + 1:-1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)


def check_everywhere(browser, url, view):
    """What must hold for every report in every view."""
    check(browser.requested == [url] or all(r == url or r.startswith("data:") for r in browser.requested),
          f"{view}: the page asks for something outside itself: {browser.requested}")
    check(not browser.logged, f"{view}: the console is not empty: {browser.logged}")
    for section in SECTIONS:
        height = browser.evaluate(f"document.getElementById('{section}')?.getBoundingClientRect().height ?? 0")
        check(height > 20, f"{view}: section {section} is missing or has no height ({height})")
    overflow = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(overflow <= 0, f"{view}: the page is {overflow} pixels wider than the window")
    outside = browser.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,dt,dd,p,li,td,th,span')].filter(e => {"
        " if (e.closest('.wide,pre')) return false; const r = e.getBoundingClientRect();"
        " return r.width > 0 && (r.right > innerWidth + 1 || r.left < -1); }).map(e => e.textContent.slice(0, 40))")
    check(not outside, f"{view}: text runs out of the window: {outside}")
    broken = browser.evaluate("[...document.images].filter(i => !i.complete || i.naturalWidth === 0).length")
    check(broken == 0, f"{view}: {broken} images cannot be shown")
    page, ink = luminance(browser, "body", "backgroundColor"), luminance(browser, "body", "color")
    check(contrast(page, ink) > 7, f"{view}: text has a contrast of only {contrast(page, ink):.1f}")
    check((page < ink) == ("dark" in view), f"{view}: the page is {'dark' if page < ink else 'light'}")


def count(browser, selector):
    return browser.evaluate(f"document.querySelectorAll('{selector}').length")


def check_filled(browser, kind, epochs, shown, image_size):
    """What a report of a run that learned must show."""
    check(count(browser, ".chart") == 2, f"{kind}: expected two charts")
    check(count(browser, "path.line") == 5, f"{kind}: expected 5 lines, found {count(browser, 'path.line')}")
    check(count(browser, "circle.mark") == 4 * epochs, f"{kind}: expected {4 * epochs} marks")
    drawn = browser.evaluate("Math.min(...[...document.querySelectorAll('path.line')].map(p => p.getTotalLength()))")
    check(drawn > 100, f"{kind}: a line is only {drawn} long")
    check(count(browser, ".matrix tbody tr") == 10, f"{kind}: expected 10 rows in the matrix")
    check(count(browser, ".matrix td.hit") == 10, f"{kind}: expected 10 diagonal cells")
    check(count(browser, ".mistake") == shown, f"{kind}: expected {shown} misread images")
    size = browser.evaluate("document.querySelector('.mistake img').naturalWidth")
    check(size == image_size, f"{kind}: an image is {size} pixels wide, expected {image_size}")
    # The image is drawn: some of its pixels are opaque, others are not.
    alphas = browser.evaluate(
        "(() => { const i = document.querySelector('.mistake img'), c = document.createElement('canvas');"
        " c.width = i.naturalWidth; c.height = i.naturalHeight; const x = c.getContext('2d'); x.drawImage(i, 0, 0);"
        " const a = x.getImageData(0, 0, c.width, c.height).data.filter((_, k) => k % 4 === 3);"
        " return [Math.min(...a), Math.max(...a)]; })()")
    check(alphas[0] == 0 and alphas[1] > 100, f"{kind}: the image is not drawn, its ink goes from {alphas}")
    check(count(browser, "#operations .bar") == 5, f"{kind}: expected 5 kinds of operations")
    widths = browser.evaluate("[...document.querySelectorAll('.bar > div')].map(b => b.getBoundingClientRect().width)")
    check(widths == sorted(widths, reverse=True) and widths[0] > widths[-1], f"{kind}: bars are not in order: {widths}")
    check(count(browser, "#memory tbody tr") == 2, f"{kind}: expected two places")


def check_bare(browser):
    text = browser.evaluate("document.body.innerText")
    for sentence in ("every test image was read correctly", "No class is taken for another", "No operation was timed"):
        check(sentence in text, f"bare: the page does not say '{sentence}'")


def check_real_run(browser, program, folder):
    """The report of a real training run, in every view."""
    page = folder / "real.html"
    subprocess.run([program, "--epochs", "5", "--quiet", "--report", page], check=True)
    for name, width, height, dark, phone in VIEWS:
        browser.open(page.as_uri(), width, height, dark, phone)
        check_everywhere(browser, page.as_uri(), f"real run, {name}")
        browser.screenshot(folder / f"real-{name}.png")


def main(program, folder, digits=None):
    browser_program = chromium.find()
    if browser_program is None:
        print("skipped: no Chromium found; `apt install chromium` makes this test run, or name one in $CHROMIUM")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    with chromium.Browser(browser_program) as browser:
        for kind in ("digits", "fashion", "bare"):
            page = folder / f"{kind}.html"
            subprocess.run([program, page, kind], check=True)
            for name, width, height, dark, phone in VIEWS:
                browser.open(page.as_uri(), width, height, dark, phone)
                check_everywhere(browser, page.as_uri(), f"{kind}, {name}")
                browser.screenshot(folder / f"{kind}-{name}.png")
            if kind == "bare":
                check_bare(browser)
            else:
                fashion = kind == "fashion"
                check_filled(browser, kind, 5 if fashion else 40, 48 if fashion else 8, 28 if fashion else 8)
        if digits is not None:
            check_real_run(browser, digits, folder)
    print(f"{len(VIEWS)} views of {3 if digits is None else 4} reports; screenshots are in {folder}" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]).resolve(), *map(Path, sys.argv[3:4])))
