#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of nettune report in chromium and prints what is wrong with it; nothing if all is well.

    browser_check.py PAGE DIRECTORY      DIRECTORY is for the browser's own files

Beside PAGE it leaves PAGE-phone.png, PAGE-desk.png and PAGE-dark.png.
- As it is, the page opens without a message on the console.
- A copy whose policy also allows the script below uses keys, filter and sort, and measures contrast and overflow.
"""
import html
import os
import re
import subprocess
import sys

PROBE = r"""
(async () => {
  const wrong = [];
  const say = (what, holds) => { if (!holds) wrong.push(what); };
  const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const panel = document.getElementById('panel');
  const squares = () => [...document.querySelectorAll('.squares a:not([hidden])')];
  const all = squares();
  if (all.length > 1) {
    say('one square is a stop of Tab', all.filter((square) => square.tabIndex === 0).length === 1);
    all[0].focus();
    press('ArrowRight');
    say('the right arrow moves', document.activeElement === all[1]);
    press('End');
    say('End moves', document.activeElement === all[all.length - 1]);
    press('Home');
    say('Home moves', document.activeElement === all[0]);
    press('ArrowDown');
    press('ArrowUp');
    say('up undoes down', document.activeElement === all[0]);
    all[1].focus();
    all[1].click();  // as Enter on a link does
    say('a click opens the node', !panel.hidden && panel.textContent.includes(all[1].textContent));
    say('the focus is in the panel', panel.contains(document.activeElement));
    press('Escape');
    say('Escape closes it', panel.hidden);
    say('and gives the focus back', document.activeElement === all[1]);
    const bad = all.find((square) => square.classList.contains('f')) || all.find((square) => square.classList.contains('s'));
    if (bad) {
      bad.click();
      say('a bad node has its remedy', panel.querySelector('.fix') || document.getElementById('findings') === null);
      press('Escape');
    }
    const good = document.querySelector('.controls input[value=g]');
    const goods = all.filter((square) => square.classList.contains('g')).length;
    good.click();
    say('the good ones can be hidden', squares().length === all.length - goods);
    good.click();
    const find = document.getElementById('find');
    find.value = all[0].textContent;
    find.dispatchEvent(new Event('input', { bubbles: true }));
    say('find shows the node', squares().includes(all[0]) && squares().length < all.length);
    find.value = '';
    find.dispatchEvent(new Event('input', { bubbles: true }));
    const sort = document.getElementById('sort');
    const order = { f: 0, s: 1, m: 2, u: 3, g: 4 };
    sort.value = 'worst';
    sort.dispatchEvent(new Event('change', { bubbles: true }));
    for (const list of document.querySelectorAll('.squares')) {
      const levels = [...list.children].map((square) => order[square.classList[0]]);
      say('the worst come first', levels.every((level, i) => i === 0 || levels[i - 1] <= level));
    }
  }
  say('the page is not wider than the window', document.documentElement.scrollWidth <= window.innerWidth);

  // Contrast of text by WCAG 2: 4.5, of what is bold 3.
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0.5) return color;
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  for (const element of [...document.querySelectorAll('h1,h2,h3,p,a,b,td,th,small,li,label,button,summary')].slice(0, 4000)) {
    if (!element.textContent.trim() || !element.getClientRects().length) continue;
    if (element.closest('.squares') && getComputedStyle(element).fontSize === '0px') continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(style.color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const key = style.color + ' on ' + behind(element);
    if (ratio < 4.5 && !seen.has(key)) {
      seen.add(key);
      wrong.push('contrast ' + ratio.toFixed(2) + ' of ' + element.tagName + '.' + element.className + ': ' + key);
    }
  }
  document.title = 'PROBED ' + JSON.stringify([...new Set(wrong)]);
})();
"""


def chromium(directory, *arguments):
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--user-data-dir=" + directory, "--enable-logging=stderr", "--virtual-time-budget=20000", *arguments],
        capture_output=True, text=True, timeout=300, check=False)
    return done.stdout, re.findall(r"CONSOLE.*", done.stderr)


def main():
    page, directory = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(directory, exist_ok=True)
    stem = page.removesuffix(".html")
    address = "file://" + page
    wrong = []
    for name, arguments in (("phone", ["--window-size=500,2400"]), ("desk", ["--window-size=1280,2400"]),
                            ("dark", ["--window-size=1280,2400", "--blink-settings=preferredColorScheme=0"])):
        picture = "%s-%s.png" % (stem, name)
        _, said = chromium(directory, "--screenshot=" + picture, *arguments, address)
        wrong += said
        if not os.path.exists(picture) or os.path.getsize(picture) < 10_000:
            wrong.append("no picture %s" % name)
    with open(page, encoding="utf-8") as file:
        content = file.read()
    probed = stem + "-probed.html"
    with open(probed, "w", encoding="utf-8") as file:
        file.write(re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", content, count=1)
                   .replace("</body>", "<script>%s</script></body>" % PROBE))
    for arguments in (["--window-size=500,900"], ["--window-size=1280,900"],
                      ["--window-size=1280,900", "--blink-settings=preferredColorScheme=0"]):
        dumped, said = chromium(directory, "--dump-dom", *arguments, "file://" + probed)
        wrong += said
        found = re.search(r"<title>PROBED (.*?)</title>", dumped, re.S)
        wrong.append("the probe did not end" if not found else
                     "" if found.group(1) == "[]" else "%s: %s" % (arguments, html.unescape(found.group(1))))
    os.remove(probed)
    print("\n".join(line for line in dict.fromkeys(wrong) if line), end="")


if __name__ == "__main__":
    main()
