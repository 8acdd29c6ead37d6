"""The report's page in headless Chromium: report_browser_test.py COMMAND. Exits with 77 where there is none.

It opens without errors and asks the network for nothing; every plot shows something; the map says what the
data in the page says, wherever the slider is; text is legible in light and dark; a phone need not scroll sideways.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

from synthetic_profile import synthetic_decisions, synthetic_profile, write_json

SKIPPED = 77
COMMAND = None
DEVICE = "A device </script><script>window.hacked = 1</script> & \"more\""


def browser_or_reason():
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return None, "python3-selenium is not installed"
    try:
        socket.getaddrinfo("localhost", 80)  # under which name the browser's driver is reached
    except OSError:
        return None, "localhost does not resolve: /etc/hosts lacks it"
    for program in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
        if not os.path.exists(program):
            return None, f"there is no {program}"
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--window-size=1280,900", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options), None


# The text that can be seen, each with its colour and the first solid colour behind it.
CONTRASTS = """
const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const behind = node => {
  for (let at = node; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour[3] === 1) return colour;
  }
  return [255, 255, 255, 1];
};
const results = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION', 'TITLE', 'title'].includes(node.tagName)) continue;
  if (!node.getClientRects().length) continue;
  const style = getComputedStyle(node);
  const inSvg = node instanceof SVGElement;
  const [a, b] = [light(parse(inSvg ? style.fill : style.color)), light(behind(inSvg ? node.ownerSVGElement.parentElement : node))];
  results.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), walker.currentNode.textContent.trim().slice(0, 60)]);
}
return results;
"""

# Every plot with how many shapes of some extent it has, and whether any is malformed.
PLOTS = """
return [...document.querySelectorAll('.plot > svg')].map(plot => {
  const shapes = [...plot.querySelectorAll('path:not(.grid):not(.axis):not(.frame), rect:not(.frame), circle')];
  const shown = shapes.filter(shape => { const box = shape.getBBox(); return (box.width > 0 || box.height > 0) && shape.closest('defs') === null; });
  return {label: plot.getAttribute('aria-label'), shown: shown.length, broken: /NaN|Infinity|undefined/.test(plot.outerHTML)};
});
"""


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        at = lambda name: os.path.join(cls.folder.name, name)
        write_json(at("profile.json"), synthetic_profile(DEVICE))
        write_json(at("bench.json"), synthetic_decisions())
        subprocess.run([COMMAND, "report", at("profile.json"), "--decisions", at("bench.json"), "--output",
                        at("report.html")], check=True, stdout=subprocess.DEVNULL)
        cls.url = "file://" + at("report.html")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.emulate("light", 1280)

    def emulate(self, colours, width):
        DRIVER.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": colours}]})
        DRIVER.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
        for log in ("browser", "performance"):
            DRIVER.get_log(log)  # what was said of the page before
        DRIVER.get(self.url)
        self.assertEqual(DRIVER.execute_script("return document.documentElement.dataset.ready"), "yes")

    def test_opens_without_errors_and_without_a_network(self):
        self.assertEqual(DRIVER.get_log("browser"), [])
        asked = [entry["message"] for entry in DRIVER.get_log("performance")]
        addresses = set(re.findall(r'"Network.requestWillBeSent".*?"request":\{.*?"url":"(.*?)"', " ".join(asked)))
        self.assertEqual(addresses, {self.url})

    def test_absurd_models_break_nothing(self):
        profile = synthetic_profile("absurd")
        models = profile["models"]
        for model, coefficient in zip(models, (0, 1e-6, 1e-300)):
            for term in model["tiers"][0]["terms"]:
                term["coefficient"] = coefficient
        models[3]["points"] = []
        models[4]["points"] = models[4]["points"][:1]
        profile["models"] = [model for model in models if model["operation"] != "transfer"]
        profile["created"] = "<i>yesterday</i>"
        at = os.path.join(self.folder.name, "absurd")
        write_json(at + ".json", profile)
        subprocess.run([COMMAND, "report", at + ".json", "--output", at + ".html"], check=True, stdout=subprocess.DEVNULL)
        DRIVER.get("file://" + at + ".html")
        self.assertEqual(DRIVER.get_log("browser"), [])
        self.assertEqual(DRIVER.execute_script("return document.documentElement.dataset.ready"), "yes")
        for control, value in (("model-shape", "heat"), ("model-quantity", "bandwidth"), ("model-axes", "linear")):
            DRIVER.execute_script("document.querySelector(`#${arguments[0]} [value=${arguments[1]}]`).click()", control, value)
        self.assertEqual(DRIVER.get_log("browser"), [])
        self.assertEqual([plot["label"] for plot in DRIVER.execute_script(PLOTS) if plot["broken"]], [])

    def test_a_state_that_some_matrices_cannot_be_in_breaks_no_line(self):
        DRIVER.execute_script("""
            for (const layer of Object.values(report.map.precisions))
                for (const ways of layer.way)
                    ways.forEach((way, s) => {
                        ways[s] = way.map(
                            (seconds, cell) => cell % densities.length % states.length === s ? seconds : null);
                    });
            updateMap();""")
        self.assertEqual([plot["label"] for plot in DRIVER.execute_script(PLOTS) if plot["broken"]], [])

    def test_text_from_files_stays_text(self):
        self.assertIsNone(DRIVER.execute_script("return window.hacked || null"))
        self.assertIn(DEVICE, DRIVER.execute_script("return document.getElementById('machine-name').textContent"))
        self.assertEqual(DRIVER.execute_script("return document.querySelectorAll('main b b, td b').length"), 0)
        self.assertIn("<b>dense@host</b>", DRIVER.execute_script("return document.getElementById('decisions').textContent"))

    def test_every_table_is_filled_with_words(self):
        text = DRIVER.execute_script("return document.body.innerText")
        for wrong in ("[object", "undefined", "NaN", "null"):
            self.assertNotIn(wrong, text)
        self.assertRegex(DRIVER.find_element("id", "turns-table").text, r"csr@host\s+dense@host\s+≥ [\d.]+\u202f%")
        for table, rows in (("cell-table", 4), ("turns-table", 6), ("models-table", 19), ("machine-body", 1)):
            self.assertEqual(len(DRIVER.find_elements("css selector", f"#{table} tbody tr")), rows, table)

    def expect_plots(self, least):
        plots = DRIVER.execute_script(PLOTS)
        self.assertGreaterEqual(len(plots), least)
        for plot in plots:
            self.assertFalse(plot["broken"], plot["label"])
            self.assertGreater(plot["shown"], 0, plot["label"])
            self.assertGreater(len(plot["label"]), 20)

    def test_every_plot_shows_something_in_every_view(self):
        # The map, two lines, regret; and a surface and its residuals for each model of the operation.
        for operation, models in (("multiply", 4), ("convert", 4), ("transfer", 2)):
            DRIVER.execute_script("document.querySelector(`#model-operation [value=${arguments[0]}]`).click()", operation)
            self.expect_plots(4 + 2 * models)
        DRIVER.execute_script("document.querySelector('#model-operation [value=multiply]').click()")
        for control, value in (("model-shape", "heat"), ("model-quantity", "bandwidth"), ("model-shape", "space"),
                               ("model-axes", "linear"), ("model-shape", "heat"), ("model-precision", "double")):
            DRIVER.execute_script("document.querySelector(`#${arguments[0]} [value=${arguments[1]}]`).click()", control, value)
            self.expect_plots(4 + 2 * 4)
        self.assertEqual(DRIVER.get_log("browser"), [])
        colours = DRIVER.execute_script(
            "return new Set([...document.querySelectorAll('#model-cards .plot path[fill^=rgb]')].map(p => p.getAttribute('fill'))).size")
        self.assertGreater(colours, 10)

    def expected_states(self, calls):
        """The best state in each cell, by the data; nothing where two are as good."""
        layer = self.data["precisions"][self.precision]
        names = self.data["states"]
        start = self.data["from"].index(self.start)
        wide = len(self.data["densities"])
        for cell in range(wide * len(self.data["rows"])):
            totals = []
            for s, name in enumerate(names):
                way, each = layer["way"][start][s][cell], layer["multiply"][s][cell]
                if way is None or each is None:
                    continue
                if self.vectors == "stay":
                    way += layer["first"][s][cell // wide]
                else:
                    each += layer["vector"][s][cell // wide]
                totals.append((way + calls * each, name))
            totals.sort()
            yield cell, totals[0][1] if len(totals) < 2 or totals[1][0] > totals[0][0] * (1 + 1e-9) else None

    def compare_map(self, calls):
        shown = dict(DRIVER.execute_script(
            "return [...document.querySelectorAll('#map-svg rect[data-cell]')].map(r => [+r.dataset.cell, r.dataset.state])"))
        colours = dict(DRIVER.execute_script(
            "return [...document.querySelectorAll('#map-svg rect[data-cell]')].map(r => [r.dataset.state, r.getAttribute('fill')])"))
        self.assertEqual(len(set(colours.values())), len(colours))
        compared = 0
        for cell, state in self.expected_states(calls):
            if state:
                compared += 1
                self.assertEqual(shown[cell], state, f"cell {cell} at {calls} calls")
        self.assertGreater(compared, 400)
        return list(shown.values())

    def test_the_slider_moves_and_the_map_follows(self):
        from selenium.webdriver.common.keys import Keys
        self.data = DRIVER.execute_script("return unpacked(JSON.parse(document.getElementById('report-data').textContent)).map")
        self.precision, self.vectors, self.start = "float", "travel", "csr@host"
        slider = DRIVER.find_element("id", "horizon")
        value = lambda: DRIVER.find_element("id", "horizon-value").text
        maps = []
        for key, words, calls in ((Keys.HOME, "1 call", 1), (Keys.END, "10000 calls", 10000)):
            slider.send_keys(key)
            self.assertEqual(value(), words)
            self.assertEqual(slider.get_attribute("aria-valuetext"), words)
            maps.append(self.compare_map(calls))
        self.assertGreater(sum(a != b for a, b in zip(*maps)), 30)
        slider.send_keys(Keys.ARROW_LEFT * 10)
        self.assertEqual(value(), "3200 calls")
        self.compare_map(3200)

        DRIVER.execute_script("document.querySelector('#map-vectors [value=stay]').click()")
        DRIVER.execute_script("document.querySelector('#map-precision [value=double]').click()")
        DRIVER.execute_script("const s = document.getElementById('from'); s.value = 'dense@device0'; s.dispatchEvent(new Event('change'))")
        self.precision, self.vectors, self.start = "double", "stay", "dense@device0"
        self.compare_map(3200)
        self.assertIn("double, from dense@device0", DRIVER.find_element("id", "turns-table").text)

    def test_the_chosen_matrix_moves_by_keys_and_by_pointer(self):
        from selenium.webdriver.common.keys import Keys
        title = lambda: DRIVER.find_element("id", "cell-title").text
        best = lambda: DRIVER.find_element("css selector", "#cell-table tr.best").text
        before = title()
        DRIVER.find_element("id", "map-svg").send_keys(Keys.ARROW_RIGHT * 2 + Keys.ARROW_UP)
        moved = title()
        self.assertNotEqual(moved, before)
        chosen = DRIVER.execute_script(
            "return document.querySelector(`rect[data-cell=\"${cellOf(choice.size, choice.density)}\"]`).dataset.state")
        self.assertIn(chosen, best())
        DRIVER.execute_script(
            "document.querySelector('rect[data-cell=\"0\"]').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))")
        self.assertTrue(title().startswith("32 × 32"), title())

    def test_text_is_legible_in_light_and_dark(self):
        backgrounds = set()
        for colours in ("light", "dark"):
            self.emulate(colours, 1280)
            backgrounds.add(DRIVER.execute_script("return getComputedStyle(document.body).backgroundColor"))
            found = DRIVER.execute_script(CONTRASTS)
            self.assertGreater(len(found), 300)
            faint = [(round(ratio, 2), text) for ratio, text in found if not ratio >= 4.5]
            self.assertEqual(faint, [], colours)
        self.assertEqual(len(backgrounds), 2)

    def test_a_narrow_screen_needs_no_sideways_scrolling(self):
        self.emulate("light", 360)
        wide = DRIVER.execute_script("return document.documentElement.scrollWidth")
        culprits = DRIVER.execute_script(
            "return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > 361 && !e.closest('.scroll, .skip'))"
            ".map(e => e.tagName + '.' + (e.id || e.className)).slice(0, 9)")
        self.assertEqual((wide, culprits), (360, []))
        self.expect_plots(4 + 2 * 4)
        # What is cut off is announced, and what decides stands first.
        hints = DRIVER.execute_script("return [...document.querySelectorAll('.scroll.more')].map("
                                      "e => [e.scrollWidth > e.clientWidth, getComputedStyle(e, '::before').content])")
        self.assertTrue(hints)
        for overflows, words in hints:
            self.assertTrue(overflows)
            self.assertIn("Scroll sideways", words)
        shown = DRIVER.execute_script("const box = document.getElementById('cell-table');"
                                      "return [...box.querySelectorAll('th')].filter(e => e.getBoundingClientRect().right"
                                      " <= box.getBoundingClientRect().right + 1).map(e => e.textContent)")
        self.assertEqual(shown[:3], ["State", "Total", "Over best"])


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    DRIVER, reason = browser_or_reason()
    if reason:
        print("skipped:", reason)
        sys.exit(SKIPPED)
    try:
        result = unittest.main(exit=False, verbosity=2).result
    finally:
        DRIVER.quit()
    sys.exit(0 if result.wasSuccessful() else 1)
