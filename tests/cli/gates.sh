#!/usr/bin/env bash
# Gates and comparisons as a CI job runs them: exit codes and files. Usage: gates.sh PYTHON EMPTY_FOLDER
set -u
scenescore() { "$python" -m handler.cli "$@"; }
python=$1
cd "$2" || exit 9
failures=0

expect() { # expect CODE DESCRIPTION COMMAND...
  local wanted=$1 what=$2
  shift 2
  "$@" >stdout.txt 2>stderr.txt
  local code=$?
  if [ "$code" -ne "$wanted" ]; then
    echo "FAILED: $what: exit $code, not $wanted"
    cat stdout.txt stderr.txt
    failures=$((failures + 1))
  fi
}

holds() { # holds DESCRIPTION COMMAND...
  local what=$1
  shift
  if ! "$@"; then
    echo "FAILED: $what"
    failures=$((failures + 1))
  fi
}

transcripts() { # transcripts FILE WORD: 40 utterances of four words, WORD in place of one in the last 20
  for i in $(seq 40); do
    word=on
    [ "$i" -gt 20 ] && word=$2
    echo "{\"session_id\":\"s$i\",\"sample_id\":\"u$i\",\"hypothesis\":\"turn $word the lights\",\"reference\":\"turn on the lights\",\"tags\":{\"room\":\"r$((i > 20))\"}}"
  done >"$1"
}

transcripts good.jsonl on
transcripts bad.jsonl off
run() { scenescore evaluate "$@" --metrics speech.wer --output out; }

expect 0 "gates that hold" run bad.jsonl --fail-if 'speech.wer.wer>0.5' --fail-if 'speech.wer.wer>0.12'
holds "it says so" grep -q '^GATES PASSED: 2 of 2' stdout.txt
holds "an open gate is shown" grep -q '^  open ' stdout.txt
expect 1 "a gate that fails" run bad.jsonl --fail-if 'speech.wer.wer>0.05' --junit gates.xml --markdown gates.md
holds "the report is written all the same" test -n "$(find out -name report.json)"
holds "the verdict is printed" grep -q '^GATES FAILED: 1 of 1' stdout.txt
holds "JUnit names it" grep -q '<testcase classname="speech.wer" name="speech.wer.wer &gt; 0.05"' gates.xml
holds "JUnit counts it" grep -q 'failures="1"' gates.xml
holds "Markdown begins with it" grep -q '^## scenescore gates: 1 of 1 failed' gates.md
holds "Markdown goes on with the report" grep -q '^## scenescore: bad.jsonl' gates.md
expect 1 "any doubt and any group counts when asked" run bad.jsonl --gate-on doubt --group-by room --fail-if 'speech.wer.wer[room=*]>20%'
expect 2 "a group that is not summarised" run bad.jsonl --fail-if 'speech.wer.wer[room=r1]>20%'
holds "it says what to add" grep -q -- '--group-by room' stderr.txt
expect 2 "an unknown figure" run bad.jsonl --fail-if 'speech.wer.were>0.1'
holds "it names the nearest" grep -q 'Did you mean speech.wer.wer' stderr.txt
expect 2 "no gate at all" run bad.jsonl --fail-if 'wer too high'
holds "is said in one line" test "$(wc -l <stderr.txt)" -eq 1
expect 1 "JSON on stdout, gates on stderr" run bad.jsonl --fail-if 'speech.wer.wer>0.05' --json
holds "stdout is the report alone" "$python" -c 'import json; json.load(open("stdout.txt"))'
holds "stderr has the gates" grep -q '^GATES FAILED' stderr.txt
echo '{"hypothesis":"well","reference":""}' >empty.jsonl
expect 1 "a null figure fails" run empty.jsonl --fail-if 'speech.wer.sentence_error_rate>0.5'
holds "with its reason" grep -q 'the figure is null: nothing was scored (skipped: 1 empty reference)' stdout.txt

export GITHUB_STEP_SUMMARY=$PWD/summary.md
echo 'from an earlier command' >"$GITHUB_STEP_SUMMARY"
expect 0 "the other result" run good.jsonl --fail-if 'speech.wer.wer>0.5' --markdown "$GITHUB_STEP_SUMMARY"
holds "the job summary is gone on with" grep -q 'from an earlier command' summary.md
holds "and holds ours" grep -q 'all 1 passed' summary.md
expect 1 "a regression fails when asked" scenescore compare out/good.jsonl out/bad.jsonl --output out --fail-on-regression --junit compare.xml --markdown compare.md
holds "the verdict comes first" grep -q '^REGRESSED: bad.jsonl is worse than good.jsonl in speech.wer wer by 12.5 pp' stdout.txt
holds "it names the room" grep -q 'room r1: speech.wer of bad.jsonl rose by 25.0 pp' stdout.txt
holds "JUnit has the figure and the rooms" test "$(grep -c '<testcase' compare.xml)" -eq 3
holds "Markdown has the verdict" grep -q '^## scenescore compare: regressed' compare.md
expect 0 "a tolerance" scenescore compare out/good.jsonl out/bad.jsonl --output out --fail-on-regression --tolerance 0.3
expect 0 "JSON, and nothing fails unasked" scenescore compare out/good.jsonl out/bad.jsonl --output out --json
holds "is a document" "$python" -c 'import json; assert json.load(open("stdout.txt"))["verdict"] == "regressed"'
holds "comparison.json is one for each question" test "$(find out/comparisons -name comparison.json | wc -l)" -eq 2
expect 2 "no result" scenescore compare out/good.jsonl nowhere --output out

exit "$failures"
