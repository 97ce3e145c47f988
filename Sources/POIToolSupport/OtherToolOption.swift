/// What people type who know other tools for the same job, and what it is called here.
///
/// Pages: sqlite-utils.datasette.io/en/stable/cli-reference.html, mongodb.com/docs/database-tools/mongoimport,
/// gdal.org/programs/ogr2ogr.html, duckdb.org/docs
enum OtherToolOption {
  /// The names of an option elsewhere, and what to give instead, by an option that the tool has.
  private static let all: [(names: [String], here: [(option: String, text: String)])] = [
    (["--db", "--database"], [("store", "--store")]),
    (["-o", "--out", "--output"], [("output", "--output"), ("store", "--store")]),
    (["--pk", "--primary-key"], [("key", "--key")]),
    (["--unique"], [("enforce", "--enforce"), ("merge", "--merge newest")]),
    (["--upsert", "--update"], [("merge", "--merge newest")]),
    (["--replace", "--overwrite"], [("merge", "--merge overwrite")]),
    (["--mode"], [("merge", "--merge")]),
    (["--csv"], [("format", "--format csv"), ("infer", found)]),
    (["--geojson"], [("format", "--format geojson"), ("infer", found)]),
    (["--nl", "--jsonArray", "--json", "--type"], [("format", "--format"), ("infer", found)]),
    (["--flatten"], [("infer", "--infer, which makes columns of nested members")]),
    (["--no-progress"], [("progress", "--progress never")]),
    (["--batch-size", "--batchSize"], [("batch", "--batch")]),
    (["--silent"], [("quiet", "--quiet")]),
  ]

  private static let found = "leave it out, because the content shows the form"

  /// What to give instead of an option that a command does not have; nil if it is not known.
  static func advice(on option: String, for command: CommandDescription) -> String? {
    all.first { $0.names.contains(option) }?.here
      .first { command.option(named: $0.option) != nil }.map {
        $0.text.hasPrefix("--") ? "use \($0.text)" : $0.text
      }
  }
}
