# Sets `home`, and as a script prints it: GPUGATE_HOME, or the address of the git remote that the source was cloned from, without its host and user, and
# the tag or commit that is checked out. "" where that is not known, and for tests, whose results it must not change.
set(home "${GPUGATE_HOME}")
if(NOT home AND NOT GPUGATE_TESTS_REQUIRED AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  foreach(asked "remote;get-url;origin" "describe;--tags;--exact-match" "rev-parse;HEAD")
    list(GET asked 0 what)
    execute_process(COMMAND git ${asked} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE git_${what} ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endforeach()
  # scheme://user@host:port/path or user@host:path
  if(NOT "${git_remote}" MATCHES "^file:" AND "${git_remote}" MATCHES "^([a-z+]+://[^/]+/|[^/:]+:)([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)+)$")
    string(REGEX REPLACE "\\.git$" "" home "${CMAKE_MATCH_2}")
    if(git_describe)
      string(APPEND home "@${git_describe}")
    else()
      string(APPEND home "@${git_rev-parse}")
    endif()
  endif()
endif()
if(CMAKE_SCRIPT_MODE_FILE)
  message("${home}")
endif()
