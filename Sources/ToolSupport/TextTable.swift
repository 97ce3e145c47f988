/// Rows of cells in aligned columns, for reports as text.
public struct TextTable: Sendable {
  /// How the cells of a column are aligned.
  public enum Alignment: Sendable {
    case left
    /// For numbers.
    case right
  }

  /// The spaces between two columns.
  private static let gap = 2

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// - Parameter alignments: one for each column.
  public init(_ alignments: Alignment...) {
    self.alignments = alignments
  }

  /// Appends a row with a cell for each column. Cells are made printable.
  public mutating func append(_ cells: String...) {
    precondition(cells.count == alignments.count, "a row has a cell for each column")
    rows.append(cells.map(printable))
  }

  /// The lines of the table, each with a line's end and without spaces before that.
  ///
  /// - Parameter indent: the spaces before each line.
  /// - Complexity: O(total length of the cells)
  public func text(indent: Int = 0) -> String {
    let widths = alignments.indices.map { column in
      rows.map { $0[column].columnCount }.max() ?? 0
    }
    var text = ""
    for row in rows {
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.columnCount)
        if column > 0 { line += String(repeating: " ", count: Self.gap) }
        line += alignments[column] == .left ? cell + space : space + cell
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
