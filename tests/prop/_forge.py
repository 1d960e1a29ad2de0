"""A fake server for the APIs of GitHub and GitLab, as far as ci/forge and ci/github use them, with planted failures and a
log of all requests. Listens on 127.0.0.1, on a port of the system's choice."""
import http.server
import io
import json
import re
import subprocess
import threading
import urllib.parse
import zipfile

TOKEN = "ghs_secretSECRET0123456789"
BOT, OTHER = 41898282, 7
LIMIT = {"github": 65536, "gitlab": 1000000}


class Forge:
    """State of one repository `o/r` (GitHub) or project 5 (GitLab) with pull or merge request 7, and the server for it."""

    def __init__(self):
        self.reset()
        forge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                forge.handle(self)
            do_GET = do_POST = do_PATCH = do_PUT = handle_any

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):     # curl has hung up
                pass
        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self):
        self.comments, self.log, self.faults, self.next_id = [], [], [], 1000
        self.events, self.permission, self.pulls, self.runs, self.artifacts, self.files = [], {}, [], [], {}, {}
        self.changed, self.statuses, self.descriptions, self.reactions = [], {}, {}, []
        self.acts = []      # runs of act.yml, as far as they have left an artifact
        self.protected, self.rules = False, [{"type": "update"}]    # of the branch of histories
        self.now = "2027-01-01T10:00:00Z"

    def comment(self, author, body, **more):
        self.next_id += 1
        user = {"id": author, "login": f"user{author}", "username": f"user{author}"}
        self.comments.append({"id": self.next_id, "user": user, "author": user, "body": body, "system": False,
                              "created_at": self.now, "updated_at": self.now, **more})
        return self.next_id

    def leave(self, run, number, commit, files, repository=1, name="gpugate-resnet50", created_at="2027-01-01T12:00:00Z"):
        """Leaves the artifact of a workflow run."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as z:
            for path, content in files.items():
                z.writestr(path, content)
        self.files[f"/store/{number}?sig=signed"] = data.getvalue()
        self.artifacts[run] = [{"id": number, "name": name, "size_in_bytes": 1, "expired": False, "created_at": created_at,
                                "workflow_run": {"head_sha": commit, "head_repository_id": repository}}]

    def bodies(self, author=BOT):
        return [c["body"] for c in self.comments if c["user"]["id"] == author]

    def fault(self, method, path, do, times=1, **answer):
        """Plants a failure. `do`: a status, "drop" (no answer, nothing is done) or "lost" (done, but no answer)."""
        self.faults.append({"method": method, "path": path, "do": do, "times": times, **answer})

    def asked(self, method=None):
        return [line for line in self.log if method is None or line.startswith(method + " ")]

    # ---- handling one request ----

    def handle(self, h):
        body = h.rfile.read(int(h.headers.get("Content-Length", 0)))
        self.log.append(f"{h.command} {h.path}")
        fault = next((f for f in self.faults if f["times"] and f["method"] == h.command and f["path"] in h.path), None)
        if fault:
            fault["times"] -= 1
        if fault and fault["do"] not in ("lost",):
            if fault["do"] == "drop":
                h.close_connection = True
                return
            self.send(h, fault["do"], fault.get("body", {"message": "planted"}), fault.get("headers", {}))
            return
        if h.path.startswith("/store/"):
            if "Authorization" in h.headers:
                self.send(h, 400, {"message": "the store got a token"}, {})
            else:
                self.send(h, 200, self.files[h.path], {})
            return
        if h.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.send(h, 401, {"message": "Bad credentials"}, {})
            return
        answer = self.route(h.command, h.path, json.loads(body) if body else None)
        if fault:
            h.close_connection = True
            return
        self.send(h, *answer)

    @staticmethod
    def send(h, status, body, headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        h.send_response(status)
        for key, value in {"Content-Type": "application/json", **headers}.items():
            h.send_header(key, value)
        h.send_header("Content-Length", str(len(data)))
        h.end_headers()
        h.wfile.write(data)

    def page(self, path, query, rows, wrap=None):
        per, number = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        part, more = rows[(number - 1) * per:number * per], number * per < len(rows)
        headers = {}
        if more:
            headers["Link"] = f'<{self.address}{path}?page={number + 1}>; rel="next", <{self.address}{path}?page=9>; rel="last"'
        if "/projects/" in path:
            headers["X-Next-Page"] = str(number + 1) if more else ""
        return 200, {"total_count": len(rows), wrap: part} if wrap else part, headers

    def route(self, method, path, body):
        where = urllib.parse.urlsplit(path)
        query = urllib.parse.parse_qs(where.query)
        for api, pattern, handler in ROUTES:
            found = re.fullmatch(pattern, f"{method} {where.path}")
            if found:
                return handler(self, api, where.path, query, body, *found.groups())
        return 404, {"message": "404 Not Found"}, {}

    def list_comments(self, _api, path, query, _body):
        return self.page(path, query, self.comments)

    def make_comment(self, api, _path, _query, body):
        if len(body["body"]) > LIMIT[api]:
            if api == "github":
                return 422, {"message": "Validation Failed", "errors": [{"message": "body is too long (maximum is 65536 characters)"}]}, {}
            return 400, {"message": {"note": ["is too long (maximum is 1000000 characters)"]}}, {}
        return 201, {"id": self.comment(BOT, body["body"])}, {}

    def edit_comment(self, _api, _path, _query, body, number):
        found = next((c for c in self.comments if c["id"] == int(number)), None)
        if not found or found["user"]["id"] != BOT:
            return 403, {"message": "not yours"}, {}
        found.update(body=body["body"], updated_at=self.now)
        return 200, {"id": found["id"]}, {}

    def viewer(self, *_):
        return 200, {"data": {"viewer": {"databaseId": BOT}}}, {}

    def user(self, *_):
        return 200, {"id": BOT}, {}

    def list_events(self, _api, path, query, _body):
        return self.page(path, query, self.events)

    def github_permission(self, _api, _path, _query, _body, login):
        return 200, {"permission": self.permission.get(login, "read")}, {}

    def members(self, _api, path, query, _body):
        number = query["user_ids"][0]
        level = self.permission.get(f"user{number}")
        return self.page(path, query, [{"id": int(number), "state": "active", "access_level": level}] if level else [])

    def list_pulls(self, _api, path, query, _body):
        owner, branch = query["head"][0].split(":", 1)
        return self.page(path, query, [p for p in self.pulls if p["state"] == "open" and p["head"]["ref"] == branch
                                       and p["head"]["repo"]["full_name"].split("/")[0] == owner])

    def one_pull(self, _api, _path, _query, _body, number):
        found = [p for p in self.pulls if p["number"] == int(number)]
        return (200, found[0], {}) if found else (404, {"message": "Not Found"}, {})

    def one_comment(self, _api, _path, _query, _body, number):
        found = [c for c in self.comments if c["id"] == int(number)]
        return (200, found[0], {}) if found else (404, {"message": "Not Found"}, {})

    def compare(self, _api, _path, _query, _body, base, head):
        """`origin` is the repository."""
        inside = not subprocess.run(["git", "-C", self.origin, "merge-base", "--is-ancestor", base, head], check=False, capture_output=True).returncode
        return 200, {"status": "identical" if base == head else "ahead" if inside else "diverged"}, {}

    def list_changed(self, _api, path, query, _body):
        return self.page(path, query, self.changed)

    def set_status(self, _api, _path, _query, body, commit):
        key = commit, body.get("context") or body["name"]
        self.statuses[key], self.descriptions[key] = body["state"], body.get("description")
        return 201, {"id": 1}, {}

    def react(self, api, _path, _query, body, number):
        self.reactions.append((int(number), body["content" if api == "github" else "name"]))
        return 201, {"id": 1}, {}

    def list_runs(self, _api, path, query, _body):
        return self.page(path, query, [r for r in self.runs if r["head_sha"] == query["head_sha"][0]], "workflow_runs")

    def list_artifacts(self, _api, path, query, _body, number):
        rows = [a for a in self.artifacts.get(int(number), []) if a["name"] == query["name"][0]]
        return self.page(path, query, rows, "artifacts")

    def all_artifacts(self, _api, path, query, _body):
        rows = [{**a, "workflow_run": {**a["workflow_run"], "id": run}} for run in self.artifacts for a in self.artifacts[run] if a["name"] == query["name"][0]]
        return self.page(path, query, rows, "artifacts")

    def one_run(self, _api, _path, _query, _body, number):
        found = [r for r in self.runs + self.acts if r["id"] == int(number)]
        return (200, found[0], {}) if found else (404, {"message": "Not Found"}, {})

    def branch(self, _api, _path, _query, _body, name):
        there = subprocess.run(["git", "-C", self.origin, "rev-parse", "--quiet", "--verify", f"refs/heads/{name}"], capture_output=True, check=False)
        return (404, {"message": "Branch not found"}, {}) if there.returncode else (200, {"name": name, "protected": self.protected}, {})

    def branch_rules(self, _api, _path, _query, _body, _name):
        return 200, self.rules, {}

    def artifact_zip(self, _api, _path, _query, _body, number):
        return 302, b"", {"Location": f"{self.address}/store/{number}?sig=signed"}


ROUTES = [
    ("github", r"GET /repos/o/r/issues/[78]/comments", Forge.list_comments),
    ("github", r"POST /repos/o/r/issues/[78]/comments", Forge.make_comment),
    ("github", r"PATCH /repos/o/r/issues/comments/(\d+)", Forge.edit_comment),
    ("github", r"POST /graphql", Forge.viewer),
    ("github", r"GET /repos/o/r/issues/[78]/events", Forge.list_events),
    ("github", r"GET /repos/o/r/collaborators/([^/]+)/permission", Forge.github_permission),
    ("github", r"GET /repos/o/r/pulls", Forge.list_pulls),
    ("github", r"GET /repos/o/r/pulls/(\d+)", Forge.one_pull),
    ("github", r"GET /repos/o/r/issues/comments/(\d+)", Forge.one_comment),
    ("github", r"GET /repos/o/r/compare/(\w+)\.\.\.(\w+)", Forge.compare),
    ("github", r"GET /repos/o/r/pulls/[78]/files", Forge.list_changed),
    ("github", r"POST /repos/o/r/statuses/(\w+)", Forge.set_status),
    ("github", r"POST /repos/o/r/issues/comments/(\d+)/reactions", Forge.react),
    ("gitlab", r"POST /projects/5/merge_requests/7/notes/(\d+)/award_emoji", Forge.react),
    ("gitlab", r"POST /projects/5/statuses/(\w+)", Forge.set_status),
    ("gitlab", r"GET /projects/5/merge_requests/7/diffs", Forge.list_changed),
    ("github", r"GET /repos/o/r/branches/([\w-]+)", Forge.branch),
    ("github", r"GET /repos/o/r/rules/branches/([\w-]+)", Forge.branch_rules),
    ("github", r"GET /repos/o/r/actions/runs", Forge.list_runs),
    ("github", r"GET /repos/o/r/actions/artifacts", Forge.all_artifacts),
    ("github", r"GET /repos/o/r/actions/runs/(\d+)", Forge.one_run),
    ("github", r"GET /repos/o/r/actions/runs/(\d+)/artifacts", Forge.list_artifacts),
    ("github", r"GET /repos/o/r/actions/artifacts/(\d+)/zip", Forge.artifact_zip),
    ("gitlab", r"GET /projects/5/merge_requests/7/notes", Forge.list_comments),
    ("gitlab", r"POST /projects/5/merge_requests/7/notes", Forge.make_comment),
    ("gitlab", r"PUT /projects/5/merge_requests/7/notes/(\d+)", Forge.edit_comment),
    ("gitlab", r"GET /user", Forge.user),
    ("gitlab", r"GET /projects/5/merge_requests/7/resource_label_events", Forge.list_events),
    ("gitlab", r"GET /projects/5/members/all", Forge.members),
]
