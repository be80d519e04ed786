"""A module per page.

To add a page:

1. Write a `router`, registered in `app/web/router.py`: ask for `CurrentVisit`, read one thing, call one thing,
   `visit.render(…)`. A page with a permission uses `needs` of `app/web/permission.py`. A page for admins stands in
   `admin/` and has a line in `list_sections` of `app/web/render.py`. An event stream calls `hold_stream` of
   `app/web/visit.py`.
2. The template extends `layout.html`. What is refreshed is a fragment in `app/web/templates/fragments/`, which the page
   includes and the refresh address returns. Everything is escaped, and an unknown name is an error.
3. A form has `dependencies=[Depends(require_own_origin)]`, ends in `see_other(…)`, and works without scripts. A wrong
   field comes back with its message beside it. REST does the same with the same function.
4. The style is a file in `app/web/static/`, linked in the block `head`, or named in `SHEETS` of `app/web/render.py` for
   nearly all pages. Sizes and distances are tokens of `base.css` (`docs/design.md`). The Content-Security-Policy
   forbids scripts, styles and `style=` in a page.
5. Add the address to the lists in `tests/web/test_every_page.py`, which opens it light and dark, from 360 to 3840
   pixels.
"""
