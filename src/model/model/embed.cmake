# Turns data files into one C source: cmake -DENTRIES=symbol=file;… -DDIR=… -DOUT=… -P embed.cmake
# Each DIR/file becomes embedded_<symbol>[], NUL-terminated, and embedded_<symbol>_size. A symbol
# page_… also gets embedded_<symbol>_hash, in the form of a Content-Security-Policy.

# SHA-256 of a file in base64.
function(hash_of file out)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 "${file}" hex)
  set(text)
  foreach(at RANGE 0 60 6) # three bytes become four letters; the last two bytes become three
    string(SUBSTRING "${hex}00" ${at} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${index} 1 letter)
      string(APPEND text "${letter}")
    endforeach()
  endforeach()
  string(SUBSTRING "${text}" 0 43 text)
  set(${out} "sha256-${text}=" PARENT_SCOPE)
endfunction()

set(text "#include \"model/embedded.h\"\n")
foreach(entry IN LISTS ENTRIES)
  string(REGEX MATCH "^(.*)=(.*)$" _ "${entry}")
  set(symbol embedded_${CMAKE_MATCH_1})
  set(hex)
  set(file "${DIR}/${CMAKE_MATCH_2}")
  if(EXISTS "${file}")
    file(READ "${file}" hex HEX)
  else()
    message(FATAL_ERROR "${file} is missing: it is to be compiled in")
  endif()
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  # Bytes are written as \x characters: compilers warn about other forms above 0x7f.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
  string(APPEND text "\nconst char ${symbol}[] = {\n${hex} 0};\n"
                     "const size_t ${symbol}_size = sizeof ${symbol} - 1;\n")
  if(symbol MATCHES "^embedded_page_")
    hash_of("${file}" hash)
    string(APPEND text "const char ${symbol}_hash[] = \"${hash}\";\n")
  endif()
endforeach()
file(WRITE "${OUT}" "${text}")
