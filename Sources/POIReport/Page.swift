internal import POIKit

/// A whole page, without anything that a browser would have to load.
enum Page {
  /// The largest numbers of examples of anything, and of attributes of a record and rules that are shown.
  static let (exampleLimit, partLimit) = (20, 40)

  /// The page in UTF-8.
  ///
  /// - Parameters:
  ///   - title: the heading of the page.
  ///   - facts: the parts of the paragraph below it.
  ///   - sections: the sections; nil for what the run did not have.
  static func bytes(_ title: String, _ facts: [HTML], _ sections: [HTML?]) -> [UInt8] {
    let page: HTML = """
      <!DOCTYPE html><!-- poi-toolkit -->
      <html lang="en"><head><meta charset="utf-8"><title>\(text: title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <style>\(style)</style></head>
      <body><main><h1>\(text: title)</h1><p>\(facts.html { "<span>\($0)</span> " })</p>
      \(sections.compactMap(\.self).html { $0 })</main></body></html>

      """
    return Array(page.text.utf8)
  }

  /// A section with a heading, and a sentence about its picture.
  static func section(_ heading: HTML, _ sentence: HTML, _ content: HTML) -> HTML {
    "<section><h2>\(heading)</h2><p>\(sentence)</p>\(content)</section>\n"
  }

  /// Content that is shown when its summary is chosen.
  static func details(_ summary: HTML, _ content: HTML) -> HTML {
    "<details><summary>\(summary)</summary><div class=\"wide\">\(content)</div></details>\n"
  }

  /// Rows below a row of headings, as many as fit into some bytes.
  ///
  /// - Parameters:
  ///   - byteLimit: the largest number of bytes.
  ///   - rowCount: the number of rows that there are, if more than `rows`.
  static func table(
    _ headings: [HTML], _ rows: [HTML], byteLimit: Int = 12_000, rowCount: Int = 0
  ) -> HTML {
    var (shown, count): (HTML, Int) = ("", 0)
    for row in rows where count == 0 || shown.text.utf8.count + row.text.utf8.count <= byteLimit {
      shown += row
      count += 1
    }
    let leftCount = max(rows.count, rowCount) - count
    return """
      <table><thead><tr>\(headings.html { "<th scope=\"col\">\($0)</th>" })</tr></thead>
      <tbody>\(shown)</tbody></table>\(leftCount > 0 ? "<p>\(leftCount) more are left out.</p>" : "")
      """
  }

  /// A cell with a value, which is marked if it differs from another one.
  static func cell(_ value: String?, comparedWith other: String?) -> HTML {
    guard value != other else { return "<td>\(text: value ?? "", limit: 100)</td>" }
    guard let value else { return "<td><mark><small>none</small></mark></td>" }
    // A long text begins shortly before the difference.
    let equalCount = zip(value.unicodeScalars, (other ?? "").unicodeScalars).prefix { $0 == $1 }
      .count
    let start = equalCount > 60 ? equalCount - 20 : 0
    let shown = String(value.unicodeScalars.dropFirst(start))
    return "<td><mark>\(start > 0 ? "…" : "")\(text: shown, limit: 100)</mark></td>"
  }

  /// Numbers with names, as bars below each other.
  static func list(_ counts: [(name: String, count: Int)]) -> HTML {
    let greatest = counts.map(\.count).max() ?? 0
    let rows = counts.filter { $0.count > 0 }.html {
      """
      <tr><th scope="row">\(text: $0.name)</th><td class="n"><b>\($0.count)</b></td>\
      <td class="length"><i style="width:\(Double($0.count) / Double(greatest) * 100)%"></i></td></tr>
      """
    }
    return greatest > 0 ? "<table class=\"bars\"><tbody>\(rows)</tbody></table>" : ""
  }

  /// One bar of parts, each in the style of its place, and a legend with their numbers.
  static func bar(_ parts: [(name: String, count: Int)], styles: [HTML] = []) -> HTML {
    let shown = parts.enumerated().filter { $0.element.count > 0 }.map { place, part in
      (part, styles.isEmpty ? "s\(place)" as HTML : styles[place])
    }
    let bar = shown.html { "<i class=\"\($1)\" style=\"flex:\(Double($0.count))\"></i>" }
    let legend = shown.html {
      "<li><i class=\"\($1)\"></i>\(text: $0.name) <b>\($0.count)</b></li>"
    }
    return "<div class=\"bar\" aria-hidden=\"true\">\(bar)</div><ul class=\"legend\">\(legend)</ul>"
  }

  /// Other numbers with names.
  static func counts(_ counts: [(name: String, count: Int)]) -> HTML {
    let items = counts.filter { $0.count > 0 }.html {
      "<li>\(text: $0.name) <b>\($0.count)</b></li>"
    }
    return items.text.isEmpty ? "" : "<ul class=\"legend\">\(items)</ul>"
  }

  /// What a run and its results are called.
  static func facts(
    ofTable table: String?, in store: Store?, run: Int64? = nil, digest: Digest? = nil,
    commandLine: String?
  ) throws(StoreError) -> [HTML] {
    var facts: [HTML] = []
    if let store, let table {
      facts.append("table <code>\(text: table)</code> of <code>\(text: store.path)</code>")
      facts += try store.withReader { connection in
        try connection.rows("SELECT id, started FROM main.poikit_run WHERE id = \(run ?? 0)") {
          "run \(Int($0.integer(0))), \(text: Instant(microseconds: $0.integer(1)).description)"
        }
      }
    }
    if let digest { facts.append("digest <code>\(text: digest.description)</code>") }
    if let commandLine { facts.append("<code>\(text: commandLine, limit: 2_000)</code>") }
    return facts + ["poi-toolkit \(text: ToolkitVersion.current)"]
  }

  private static let style: HTML = """
    :root{--text:#1b2430;--soft:#4d5b69;--line:#dfe5ea;--back:#fff;--sea:#eef2f5;--bad:#b3261e;
      --mark:#ffe08a;--win:#e3f2ef}
    @media(prefers-color-scheme:dark){
      :root{--text:#dde4ea;--soft:#a3b2c0;--line:#2f3a45;--back:#14191f;--sea:#1c242c;
        --bad:#ff8a80;--mark:#6b5200;--win:#1d3a36}
      .map image{filter:brightness(1.5)}}
    *{box-sizing:border-box;print-color-adjust:exact}
    body{margin:0;color:var(--text);background:var(--back);font:15px/1.45 system-ui,sans-serif}
    main{max-width:1120px;margin:auto;padding:20px 2%}
    h1{font-size:24px;margin:0}h2{font-size:18px;margin:34px 0 4px}
    p{margin:4px 0 10px;color:var(--soft)}p span{margin-right:12px}code{font-size:12px}
    small,thead th{color:var(--soft);font-size:13px}
    code,td,th,b,summary,h1,li,span{overflow-wrap:anywhere;unicode-bidi:isolate}
    summary{cursor:pointer;padding:5px 0}.wide{overflow-x:auto}.wide th{overflow-wrap:normal}
    table{border-collapse:collapse;width:100%}thead th{white-space:nowrap}
    td,th{padding:4px 8px;text-align:left;vertical-align:top}
    details,td,th{border-top:1px solid var(--line)}
    .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    mark{background:var(--mark);color:inherit}
    .win td,.win th{background:var(--win);font-weight:600}
    .bar{display:flex;height:26px;border-radius:5px;overflow:hidden}.bar i{min-width:2px}
    .legend{list-style:none;padding:0}.legend li{display:inline-block;margin-right:18px}
    .legend i{display:inline-block;width:11px;height:11px;margin-right:5px}
    .s0{background:#2f7f74}.s1{background:#4a90c2}.s2{background:#6f8896}.s3{background:#a9855b}
    .s4{background:#7d6fb0}.s5{background:#a35d8e}.s6{background:#b9822a}.s7{background:#7d8f1f}
    .s8{background:#777}.s9{background:#c8372d}
    .bad{--point:var(--bad);color:var(--bad)}.new{--point:#4a90c2}.other{--point:#b07414}
    i.bad,i.new,i.other{background:var(--point)}
    .two{display:flex;flex-wrap:wrap;align-items:start;gap:0 40px}.bars{width:auto;margin:6px 0}
    .bars td,.bars th{border:0;vertical-align:middle;padding:1px 8px 1px 0;white-space:nowrap;
      font-weight:400}
    .length{width:min(260px,30vw)}
    .length i{display:block;height:12px;min-width:2px;border-radius:2px;background:#b9822a}
    .map{display:block;width:100%;max-height:720px}.map rect{fill:var(--sea)}
    .map image{image-rendering:pixelated}.map path{stroke:var(--soft);stroke-opacity:.35}
    .map text{font:600 13px system-ui;fill:var(--text);stroke:var(--sea);stroke-width:3px;
      paint-order:stroke}
    .map .bad,.map .new,.map .other{stroke:var(--point);stroke-opacity:1;stroke-width:8;
      stroke-linecap:round}
    .columns tbody th{min-width:11em}.filled{white-space:nowrap}meter{width:70px}
    .bins{width:96px;height:24px;fill:var(--soft)}
    @media(max-width:700px){
      .map text{font-size:26px}.columns thead{display:none}
      .columns table,.columns tbody{display:block}
      .columns tr{display:flex;flex-wrap:wrap;padding:4px 0;border-top:1px solid var(--line)}
      .columns td,.columns th{border:0;padding:2px 8px 2px 0}
      .columns th,.columns .v{flex:1 0 100%}
      .different::after{content:" different"}.rejects::after{content:" rejects"}}
    @media print{body{font-size:11px}details::details-content{content-visibility:visible}}
    """
}
