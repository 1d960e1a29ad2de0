# shellcheck shell=bash
# Calls of the API of GitHub and GitLab; sourced by the scripts beside it, needs curl and jq.
#
# The token is GPUGATE_TOKEN in the environment and nowhere else: jq reads it there and hands it to curl by a
# pipe. The shell never holds it, so no trace (bash -x) and no list of processes shows it; -q keeps a ~/.curlrc
# that says `verbose` away, and answers of the API are printed without the token.
#
# A function that calls the API returns 1 after a failure that may be temporary; `persist` then runs the whole function
# again. So a function that creates something must first look whether an earlier call, whose answer was lost, has created
# it. A permanent failure ends the script with one line. `status` is the status of the last call, $work/answer its body.

me=${0##*/}
fail() { echo "$me: $*" >&2; exit 1; }
usage() { echo "$me: $*" >&2; exit 2; }

readonly tries=5        # of one thing
readonly first_pause=2  # seconds after the first failure, doubled each time
readonly longest=300    # seconds that a rate limit may make one pause
readonly most_pages=100 # of 100 items

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sets api, url and repository from the options, else from the environment of the CI system.
api_setup() {
    if [[ -z ${api-} ]]; then
        if [[ ${GITHUB_ACTIONS-} ]]; then api=github; elif [[ ${GITLAB_CI-} ]]; then api=gitlab; fi
    fi
    case ${api-} in
    github)
        url=${url:-${GITHUB_API_URL:-https://api.github.com}}
        repository=${repository:-${GITHUB_REPOSITORY-}}
        [[ $repository =~ ^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$ ]] || usage "--repository is not an OWNER/NAME"
        ;;
    gitlab)
        url=${url:-${CI_API_V4_URL:-https://gitlab.com/api/v4}}
        repository=${repository:-${CI_MERGE_REQUEST_PROJECT_ID:-${CI_PROJECT_ID-}}}
        [[ $repository =~ ^[A-Za-z0-9_./-]+$ ]] || usage "--repository is neither a number nor a path of a project"
        repository=${repository//\//%2F}
        ;;
    *) usage "neither GitHub Actions nor GitLab CI here: say --api github or --api gitlab" ;;
    esac
    url=${url%/}
}

# Checks the token before the first call: with a quote or a line break, it could add settings to curl's configuration.
need_token() { # WHAT-FOR
    case $(jq -rn 'env.GPUGATE_TOKEN // "" | if . == "" then "empty" else test("\\A[A-Za-z0-9._~+/=-]+\\z") end') in
    true) ;;
    empty) fail "GPUGATE_TOKEN is empty: give it a token that $1" ;;
    *) fail "GPUGATE_TOKEN holds no token, or blanks or line ends beside it: set it again" ;;
    esac
}

# Untrusted text as one line, without the token.
plain() { # JQ-FILTER: of the answer
    jq -r "$1"' // "" | tostring | split(env.GPUGATE_TOKEN // "\u0000") | join("***")
        | gsub("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+"; " ") | .[:300]' "$work/answer" 2>"$work/null" || true
}

header() { # NAME: its last value
    tr -d '\r' <"$work/headers" | sed -n "s/^$1: *//Ip" | tail -n 1
}

# The pause that a rate limit asks for; empty if the answer is not about a rate limit.
limited() {
    local after reset
    [[ $status == 403 || $status == 429 ]] || return 0
    after=$(header retry-after) reset=$(header '\(x-\)\{0,1\}ratelimit-reset')
    if [[ $after =~ ^[0-9]{1,9}$ ]]; then
        echo "$((10#$after))"
    elif [[ $(header '\(x-\)\{0,1\}ratelimit-remaining') == 0 && $reset =~ ^[0-9]{1,12}$ ]]; then
        after=$((10#$reset - EPOCHSECONDS + 1))
        echo "$((after > 0 ? after : 0))"
    elif [[ $status == 429 || $(plain '.message?') == *'rate limit'* ]]; then
        echo 60
    fi
}

# One line on the meaning of a refusal, and on what to do.
refused() { # CALL
    local hint message
    message=$(plain 'if type == "object" then [.message // .error // ., (.errors? | arrays[] | .message? | strings)]
        | map(tostring) | join(": ") else empty end')
    case $status:$message in
    401:*) hint="the token in GPUGATE_TOKEN is wrong or has expired: make a new one" ;;
    403:*) hint="the token may not do this: $(rights)" ;;
    404:*) hint="it is not there or the token may not see it: look at the name of the repository, the number and the rights of the token" ;;
    413:* | 4??:*'too long'*) hint="the Markdown is longer than the API takes, which none of gpugate is" ;;
    3??:*) hint="the repository or the API has moved: give its address of today" ;;
    *) hint="the API does not take this" ;;
    esac
    fail "$1: HTTP $status${message:+ ($message)}: $hint"
}
rights() {
    if [[ $api == github ]]; then
        echo "the job needs 'permissions: {contents: read, pull-requests: write}', for a status 'statuses: write'; a pull request of a fork has no such token"
    else
        echo "it needs the scope 'api' and, in the project, the role Reporter, Developer for what is committed"
    fi
}

# Calls the API. With `redirect` set, a redirect counts as an answer, and `location` becomes the address that it names.
call() { # METHOD PATH [FILE: the body, as JSON]
    local what="$1 $2" wait
    local options=(--request "$1" --output "$work/answer" --dump-header "$work/headers" --write-out '%{http_code}')
    [[ -z ${3-} ]] || options+=(--header 'Content-Type: application/json' --data-binary "@$3")
    : >"$work/answer" && : >"$work/headers"
    status=$(jq -rn '"header = \"Authorization: Bearer \(env.GPUGATE_TOKEN)\""' |
        curl -q --globoff --config - --silent --show-error --proto '=http,https' --connect-timeout 20 --max-time 120 \
            --max-filesize 67108864 --user-agent gpugate "${options[@]}" "$url$2" 2>"$work/curl") || status=000
    wait=$(limited)
    if [[ $wait ]]; then
        ((wait <= longest)) || fail "$what: the rate limit of the API lasts another $wait s: run the job again then"
        problem="$what: the rate limit of the API" pause=$wait
        return 1
    fi
    case $status in
    2??) ;;
    302) [[ ${redirect-} ]] || refused "$what" ;;
    000) problem="$what: no answer: $(head -n 1 "$work/curl")" pause= && return 1 ;;
    5?? | 408 | 425) problem="$what: HTTP $status" pause= && return 1 ;;
    *) refused "$what" ;;
    esac
    [[ $status == 302 || ! -s $work/answer || $(head -c 1 "$work/answer" | tr '\0' '?') == [\[\{]* ]] ||
        fail "$what: the answer is not JSON: is '$url' the address of the API?"
}

# Repeats a command, with pauses, as long as its failure may be temporary.
persist() { # FUNCTION ARGUMENT…
    local try backoff=$first_pause
    for ((try = 1; try <= tries; try++)); do
        "$@" && return
        ((try == tries)) || sleep "${pause:-$backoff}"
        ((backoff *= 2))
    done
    fail "$problem, $tries times: run the job again later"
}

# Reads all pages of an answer into one array in $work/list.
pages() { # PATH [KEY of the array in the answer]
    local page separator='?'
    [[ $1 != *\?* ]] || separator='&'
    : >"$work/pages"
    for ((page = 1; page <= most_pages; page++)); do
        call GET "$1${separator}per_page=100&page=$page" || return
        cat "$work/answer" >>"$work/pages"
        if [[ $(header link) != *'rel="next"'* ]]; then
            jq -s --arg key "${2-}" 'map(if $key == "" then . else .[$key] end) | add // []' "$work/pages" >"$work/list" 2>"$work/null" ||
                fail "GET $1: the answer is not understood"
            return 0
        fi
    done
    fail "$1: more than $most_pages pages of 100: too much to look through"
}

# ---- comments of a request ----

# Sets $comments (address of the comments on `request`), $edits (address of a comment without its id) and $edit (HTTP method to edit).
# shellcheck disable=SC2154
comments_setup() {
    if [[ $api == github ]]; then
        comments=/repos/$repository/issues/$request/comments
        edits=/repos/$repository/issues/comments edit=PATCH
    else
        comments=/projects/$repository/merge_requests/$request/notes
        edits=$comments edit=PUT
    fi
}

# Sets `user` to the id of the token's user. On GitHub only the GraphQL API tells it to the token of a job.
identify() {
    if [[ $api == github ]]; then
        echo '{"query": "{viewer {databaseId}}"}' >"$work/query"
        url=${url%/v3} call POST /graphql "$work/query" || return
    else
        call GET /user || return
    fi
    user=$(jq -r '(.data.viewer.databaseId? // .id?) | numbers' "$work/answer")
    [[ $user ]] || fail "the API does not say whose the token is: $(plain '.errors[0].message?')"
}

# Edits our comment that has this first line, or makes a new one, with the text in $work/comment; `said` tells what was done. A
# comment of another user that quotes the line is not changed.
publish() { # MARKER WANTED: whether one is made where there is none
    local id
    said=
    identify || return
    pages "$comments" || return
    jq -r --arg marker "$1" --argjson user "$user" '
        .[] | select((.user // .author).id == $user and ((.body // "") | split("\n")[0] | rtrimstr("\r")) == $marker)
        | .id' "$work/list" >"$work/ours" 2>"$work/null" || fail "GET $comments: the answer is not a list of comments"
    while read -r id; do
        call "$edit" "$edits/$id" "$work/comment" || return
        said="edited comment $id"
    done <"$work/ours"
    [[ -z $said && $2 == true ]] || return 0
    call POST "$comments" "$work/comment" || return
    said="made comment $(jq -r '.id // ""' "$work/answer")"
}
