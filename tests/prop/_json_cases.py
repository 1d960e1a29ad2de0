"""Texts that are not JSON, and JSON that looks odd, for tests of every place where a file contains JSON."""

# Texts that every JSON parser must refuse, wherever they replace a value.
BROKEN = [
    # numbers
    b"+1", b"-", b"--1", b"01", b"-01", b"00", b"-00.5", b".5", b"-.5", b"5.", b"-5.", b"5.e3", b"1e", b"1E+", b"1e-", b"1e+-2",
    b"1.2.3", b"1e1.5", b"0x10", b"0b1", b"0o7", b"1_000", b"1 000", b"1,5", b"1f", b"1L", b"- 1", b"-a", b"\xef\xbc\x91",
    b"NAN", b"Nan", b"+Infinity", b"-", b"1/2", b"++1", b"1+1", b"(1)",
    # words
    b"True", b"TRUE", b"tru", b"truee", b"nul", b"NULL", b"None", b"nil", b"fals", b"undefined", b"yes", b"a", b"\xc3\xa9",
    # strings
    b"'a'", b"`a`", b'"a', b'a"', b'"a"b"', b'"a" "b"', b'\\"a\\"', b"\\u0061", b'"a\\"', b"\xe2\x80\x9ca\xe2\x80\x9d",
    # arrays
    b"[", b"]", b"[1", b"[1,", b"[,", b"[,1]", b"[1,]", b"[1,,2]", b"[1 2]", b"[1;2]", b"[1:2]", b'["a":1]', b"[1}", b"[}", b"[[]",
    b"[]]", b"[*]", b"[...]", b"[1,\x0c2]", b"[1,\x0b2]", b"[\xc2\xa01]", b"[\x002]", b"[1]x",
    # objects
    b"{", b"}", b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,', b'{"a":1,}', b'{,"a":1}', b'{"a":1,,"b":2}', b'{"a":1;"b":2}', b'{"a"}',
    b'{"a" 1}', b'{"a",1}', b'{"a"::1}', b'{"a":}', b'{"a"=1}', b"{a:1}", b"{'a':1}", b"{1:1}", b"{null:1}", b"{[]:1}", b'{"a":1]',
    b'{"a":1 "b":2}', b'{"a":1}}', b"{{}}", b'{"a":{"b"}}', b'{"a":1,"b"}',
    # comments and other syntax of other languages
    b"// x\n1", b"1 // x\n", b"/**/1", b"1/**/", b"# x\n1", b"<!-- -->", b"<a/>", b"!!null", b"&a 1", b"*a", b"1;", b"@", b"$",
    # bytes
    b"\xff", b"\x80", b"\x00", b"\xef\xbb\xbf1", b"\xfe\xff\x001", b"\x1b[0m", b"\x7f", b"\x1f\x8b\x08",
]
# Texts that are invalid as a whole document. As a part of a longer document some are valid, such as "[1],[2]" between elements.
BROKEN_DOCUMENTS = [b"", b"[1],[2]", b" ", b"\n", b"{}{}", b"[][]", b"{} 1", b"[1]\x00", b"{}\xef\xbb\xbf", b"{},", b"{}]",
                    b"\xff\xfe{\x00}\x00", b"\x00{\x00}", b"1 1", b"null null", b"[1]//", b"{}#", b"{}\x1a"]
# Valid texts that every parser must accept.
SOUND = [
    b"0", b"-0", b"-0.0", b"1e5", b"1E+5", b"1e-5", b"0e0", b"123456789012345678901234567890", b"1e999", b"-1e-999", b"0." + b"3" * 400,
    b"9" * 400, b"true", b"false", b"null", b'""', b'"a"', b'" \\" \\\\ \\/ \\b \\f \\n \\r \\t "', b'"\\u0000"', b'"\\u00e9"',
    b'"\\ud83d\\ude00"', b'"\\uD800"', b'"\\uDFFF\\uD800"', b'"\\u2028\xe2\x80\xa8"', b'"\x7f"', b'"\xf4\x8f\xbf\xbf"', b'"\xef\xbf\xbf"',
    b'"// /* # \'"', b"[]", b"[ ]", b"[[],[[]],{}]", b"[1,\t2 ,\r\n3]", b"{}", b"{ }", b'{"":0}', b'{"a":1,"a":2}', b'{"\\u0061":1}',
    b'{"a":{"b":[{"c":null}]}}', b"[" * 400 + b"]" * 400,
]
# Invalid JSON that real profilers write: it is accepted if the value is not needed, and counted.
TOLERATED = [b"NaN", b"nan", b"-nan", b"Infinity", b"-Infinity", b"inf", b"-inf", b'"a\nb"', b'"\x01\x1f"', b'"\t"', b'"\\x41"', b'"\\a"',
             b'"C:\\path\\q"', b'"\\\'"']
# Bytes that are not UTF-8. JSON's grammar allows them, but outputs never contain them.
NOT_UTF8 = [b'"\xff"', b'"\xc3\x28"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xf5\x80\x80\x80"', b'"\xe2\x82"', b'"\x80abc"']
