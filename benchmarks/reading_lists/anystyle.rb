# Reads references with AnyStyle: a line of input is a JSON list of references, a line of output the list of their parts.
require 'anystyle'
require 'json'

$stdout.sync = true
$stdin.each_line do |line|
  references = JSON.parse(line)
  found = references.empty? ? [] : AnyStyle.parse(references)
  abort "#{found.size} results for #{references.size} references" unless found.size == references.size
  puts JSON.generate(found)
end
