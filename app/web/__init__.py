"""The web pages: `pages/` answers, `templates/` shows, `assets/` is bundled into `static/bundle/`.

To add a script:

1. Write TypeScript in `assets/`. A file at the top is the script of one page and only mounts. Each behaviour is a file
   in `assets/page/` or `assets/editor/`, found by a data attribute. The page works without it, and a reload loses
   nothing. What only the used editor needs is imported by `assets/editor/assist.ts`.
2. Run `make bundle` (Node 18 or newer, npm) and commit `static/bundle/`. `make check` compares.
3. A library is a `devDependency` with an exact version: `npm install --save-dev --save-exact
   --omit-lockfile-registry-resolved NAME`. Load what few readers need with `import(…)`. The problem's page may load 150
   kB of scripts; a test counts.
4. Test it in a real browser, as `tests/web/test_editor_in_browser.py` does. A complaint in the console fails the test.

The editor completes names from `static/names/`, which `make names` writes. A module, class or framework to complete is
a word in `assets/list_names.py`.
"""
