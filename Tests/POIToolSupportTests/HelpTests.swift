import Testing

@testable import POIToolSupport

@Suite("CommandDescription+Help")
struct HelpTests {
  @Test func `help at 80 columns`() {
    #expect(
      CommandDescription.example.help(width: 80) == """
        sift-sand: sort grains of sand by size

        usage: sift-sand [OPTION]... [FILE]...

          FILE                     what to sift; - is standard input

        Sifting:
          -m, --mesh N             the width of a hole (default: 500)
              --order ORDER        which grains come first (default: fine)
                  fine             the fine ones
                  coarse           the coarse ones
          -k, --key NAME[,NAME]    what tells one grain from another (repeatable)
          -n, --dry-run            look at the sand and touch nothing

        Heap:
          -o, --heap PATH          where the sand goes (default: heap.sand; environment:
                                   SAND_HEAP)
              --limit N            stop after so many grains

        Messages and help:
              --report FORM        the form of the report on standard output (default:
                                   text)
                  text             lines for people
                  json             one JSON object for programs
          -q, --quiet              print no text report, notes or progress; warnings and
                                   errors remain
              --progress WHEN      when to show a progress line on standard error
                                   (default: auto)
                  auto             on a terminal that can redraw a line
                  always           even if standard error is not a terminal
                  never            not at all
          -h, --help               show what most need; --help=all shows all, --help
                                   OPTION explains one
          -V, --version            show the version
              --completions SHELL  write a completion script for a shell
                  bash             a script to source in ~/.bashrc
                  zsh              a function for a folder of $fpath
                  fish             a file for its completions folder
              --manual             write the manual page
              --markdown           write all options as Markdown

        Examples:
          sift-sand --mesh 20 beach.sand
              sort a beach by grains of up to 20 micrometres

        Exit status:
            0  done
           65  the sand is wet
          130  interrupted; committed batches stay

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
      for choice in option.choices {
        let line = help.split(separator: "\n").first {
          $0.hasPrefix("          \(choice.word) ") && $0.hasSuffix(" \(choice.meaning)")
        }
        #expect(line != nil, "\(choice.word)")
      }
    }
  }
}
