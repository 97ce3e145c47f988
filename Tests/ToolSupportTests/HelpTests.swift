import Testing

@testable import ToolSupport

@Suite("CommandDescription+Help")
struct HelpTests {
  @Test func `help at 80 columns`() {
    #expect(
      CommandDescription.example.help(width: 80) == """
        sift-sand: sort grains of sand by size

        usage: sift-sand [OPTION]... FILE...

          FILE                              what to sift; - is standard input

        Sifting:
          -m, --mesh N                      the width of a hole (default: 500)
              --order fine|coarse           which grains come first: the fine or the
                                            coarse ones (default: fine)
          -k, --key NAME[,NAME]             what tells one grain from another
                                            (repeatable)
          -n, --dry-run                     look at the sand and touch nothing

        Heap:
          -o, --heap PATH                   where the sand goes (default: heap.sand;
                                            environment: SAND_HEAP)
              --limit N                     stop after so many grains

        Messages and help:
              --report text|json            the form of the report on standard output
                                            (default: text)
          -q, --quiet                       no report as text, no notes, no progress;
                                            warnings and errors still show
              --progress auto|always|never  when to show a progress line on standard
                                            error (default: auto)
          -h, --help[=markdown]             show this help, or the options as a Markdown
                                            table
              --version                     show the version
              --completions bash|zsh|fish   write a completion script for a shell
              --manual                      write the manual page

        Examples:
          sift-sand --mesh 20 beach.sand
              sort a beach by grains of up to 20 micrometres

        Exit status:
            0  done
           65  the sand is wet
          130  interrupted; what was committed stays

        """)
  }

  @Test func `help at 100 columns`() {
    #expect(
      CommandDescription.example.help(width: 100) == """
        sift-sand: sort grains of sand by size

        usage: sift-sand [OPTION]... FILE...

          FILE                              what to sift; - is standard input

        Sifting:
          -m, --mesh N                      the width of a hole (default: 500)
              --order fine|coarse           which grains come first: the fine or the coarse ones (default:
                                            fine)
          -k, --key NAME[,NAME]             what tells one grain from another (repeatable)
          -n, --dry-run                     look at the sand and touch nothing

        Heap:
          -o, --heap PATH                   where the sand goes (default: heap.sand; environment: SAND_HEAP)
              --limit N                     stop after so many grains

        Messages and help:
              --report text|json            the form of the report on standard output (default: text)
          -q, --quiet                       no report as text, no notes, no progress; warnings and errors
                                            still show
              --progress auto|always|never  when to show a progress line on standard error (default: auto)
          -h, --help[=markdown]             show this help, or the options as a Markdown table
              --version                     show the version
              --completions bash|zsh|fish   write a completion script for a shell
              --manual                      write the manual page

        Examples:
          sift-sand --mesh 20 beach.sand
              sort a beach by grains of up to 20 micrometres

        Exit status:
            0  done
           65  the sand is wet
          130  interrupted; what was committed stays

        """)
  }

  @Test(arguments: [-1, 0, 40, 60, 80, 132])
  func `no line is longer than asked for`(width: Int) {
    let command = CommandDescription.example
    for line in command.help(width: width).split(separator: "\n").map(String.init) {
      #expect(line.columnCount <= max(width, 40), "\(line)")
    }
  }

  @Test func `help names every option with its default and variable`() {
    let help = CommandDescription.example.help(width: 200)
    for option in CommandDescription.example.options {
      #expect(help.contains(option.flagName + option.valueSuffix))
      #expect(help.contains(option.summaryWithDefault))
    }
  }
}
