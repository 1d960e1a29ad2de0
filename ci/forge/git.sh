# shellcheck shell=bash
# Functions that check out branches of a repository as separate folders, without a change of the current clone. The scripts
# in this folder source this file; they define `fail`, and $work, a temporary folder that they remove.
#   GPUGATE_REMOTE   remote or address of the repository (default: origin); for an https:// address, GPUGATE_TOKEN is the
#                    password if it is set

remote=${GPUGATE_REMOTE:-origin}
# Links in a branch are not followed, because they could lead anywhere. The token stays in the environment, and is sent only
# to the server of the remote: a redirect, or .lfsconfig in the branch, could name another server.
git=(git -c core.symlinks=false)
# shellcheck disable=SC2016
[[ -z ${GPUGATE_TOKEN+set} || ! $remote =~ ^https?://[^/]+ ]] || git+=(-c credential.helper=
    -c "credential.${BASH_REMATCH[0]}.helper="'!f() { echo username=x-access-token; echo "password=$GPUGATE_TOKEN"; }; f')
export GIT_TERMINAL_PROMPT=0
who_commits=(-c user.name="${GIT_COMMITTER_NAME:-gpugate}" -c user.email="${GIT_COMMITTER_EMAIL:-gpugate@localhost}")

# Sets `tip` to the newest commit of a branch; false if the branch does not exist.
find_tip() { # BRANCH
    local refs
    refs=$("${git[@]}" ls-remote "$remote" "refs/heads/$1") || fail "branch '$1' cannot be fetched, see above"
    tip=
    [[ $refs ]] || return 1
    "${git[@]}" fetch --quiet --no-tags "$remote" "refs/heads/$1" || fail "branch '$1' cannot be fetched, see above"
    tip=$(git rev-parse FETCH_HEAD)
}

# Prints the name of the default branch: GPUGATE_MAIN, else what the remote says.
default_branch() {
    [[ ${GPUGATE_MAIN-} ]] && echo "$GPUGATE_MAIN" && return
    "${git[@]}" ls-remote --symref "$remote" HEAD | sed -n 's#^ref: refs/heads/\(.*\)\tHEAD$#\1#p'
}

# Replaces the contents of a folder by the files of a commit.
fresh_tree() { # FOLDER COMMIT
    if [[ -d $1 ]]; then
        "${git[@]}" -C "$1" reset --quiet --hard "$2"
        "${git[@]}" -C "$1" clean --quiet -ffdx
    else
        "${git[@]}" worktree add --quiet --detach "$1" "$2"
    fi
}

# Makes the folder a clean tree of the branch of histories; `tip` is empty if the branch does not exist yet.
history_tree() { # FOLDER BRANCH
    local first=
    find_tip "$2" || first=$("${git[@]}" "${who_commits[@]}" commit-tree -m "baselines: histories of runs" "$(git hash-object -t tree -w /dev/null)")
    fresh_tree "$1" "${tip:-$first}"
}
