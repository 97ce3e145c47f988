/// Rows of cells in aligned columns, for reports as text.
public struct TextTable {
  /// The alignment of a column's cells.
  public enum Alignment {
    case left, right
  }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// - Parameter alignments: one for each column.
  public init(_ alignments: Alignment...) {
    self.alignments = alignments
  }

  /// Appends a row of three columns: a name, a count and a remark.
  public mutating func append(_ name: String, _ count: Int, _ remark: String = "") {
    append(name, QuantityFormat.count(count), remark)
  }

  /// Appends a row with a cell for each column. Cells are made printable.
  public mutating func append(_ cells: String...) {
    precondition(cells.count == alignments.count, "a row has a cell for each column")
    rows.append(cells.map(printable))
  }

  /// The lines of the table, each with a line end and without trailing spaces.
  public func text(indent: Int = 0) -> String {
    let widths = alignments.indices.map { column in rows.map { $0[column].columnCount }.max() ?? 0 }
    var text = ""
    for row in rows {
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - cell.columnCount)
        line +=
          (column > 0 ? "  " : "") + (alignments[column] == .left ? cell + space : space + cell)
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
