# Turn data files into one C source: cmake -DENTRIES=symbol=file;… -DDIR=… -DOUT=… -P embed.cmake
# Each DIR/file.yaml becomes embedded_<symbol>[], NUL-terminated, and embedded_<symbol>_size.
set(text "#include \"model/embedded.h\"\n")
foreach(entry IN LISTS ENTRIES)
  string(REGEX MATCH "^(.*)=(.*)$" _ "${entry}")
  set(symbol embedded_${CMAKE_MATCH_1})
  set(hex)
  if(EXISTS "${DIR}/${CMAKE_MATCH_2}.yaml")
    file(READ "${DIR}/${CMAKE_MATCH_2}.yaml" hex HEX)
  else()
    message(FATAL_ERROR "rules/${CMAKE_MATCH_2}.yaml is missing: it is to be compiled in")
  endif()
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  # As \x bytes of char: an octal or signed form would warn above 0x7f.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
  string(APPEND text "\nconst char ${symbol}[] = {\n${hex} 0};\n"
                     "const size_t ${symbol}_size = sizeof ${symbol} - 1;\n")
endforeach()
file(WRITE "${OUT}" "${text}")
