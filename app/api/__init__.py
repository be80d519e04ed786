"""REST v1 under /api/v1, one module per resource, and the endpoints for monitoring at the root.

To add a resource:

1. The work belongs to the folder that it is about, as functions that take a `Session`. The resource reads the request,
   calls and answers. Register its `router` in `router.py`.
2. Ask for a viewer with the permission (`Reader`, `Author`, … in `dependency.py`). Open the transaction inside the
   endpoint, never in a dependency.
3. Bodies derive from `Body` (`app/validation.py`), and their lists have `max_length` and `fail_fast`. Every answer has
   its own model with a unique name. A new error is a subclass of one in `app/errors.py`; it has the code of its base,
   or a line in `CODE_OF` of `error_code.py`.
4. A list that can grow is `{items, next}` with a cursor (`app/database/cursor.py`). An action on other users'
   things, or on an account's safety, is recorded by `record` of `app/audit.py` in the function that does it.
5. Give it an `operation_id="verb_noun"`, a summary and a tag of `TAGS` in `openapi.py`.
   `tests/api/test_api_documentation.py` says what else the document lacks. Write `tests/api/test_RESOURCE.py` over real
   HTTP. `tests/api/test_openapi.py` and `tests/api/test_permissions.py` find the resource by themselves.
"""
