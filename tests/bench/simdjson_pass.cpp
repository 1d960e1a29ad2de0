/* What a well-kept parser of JSON takes for a whole trace: simdjson's tree, and its events counted.
   usage: simdjson_pass FILE */
#include <cstdio>
#include <simdjson.h>

int main(int argc, char **argv)
{
	simdjson::dom::parser parser;
	simdjson::dom::element trace;
	simdjson::dom::array events;
	if (argc != 2 || parser.load(argv[1]).get(trace) || trace["traceEvents"].get(events))
		return 1;
	std::size_t nr = 0;
	for (auto event : events)
		nr += event.is_object();
	std::printf("%zu events\n", nr);
	return nr == 0;
}
