internal import POIRecords
internal import POISQLite

/// The SQL that makes a GeoPackage.
///
/// Page: OGC 12-128r18, sections 1.1, 2.1 and F.3; annex C has the tables
struct GeoPackageSchema {
  /// WGS 84 by its EPSG code.
  static let referenceSystem: Int64 = 4_326

  /// "GPKG", and version 1.3.
  private static let header: SQL =
    "PRAGMA application_id = \(0x4750_4B47); PRAGMA user_version = 10300"

  private let layer: String
  private let geometryType: String
  private let mayHaveAltitudes: Bool
  private let identifier: String
  private let geometry: String
  private let columns: [(name: String, type: SQL)]

  /// The virtual table of the spatial index.
  var indexName: String { "rtree_\(layer)_\(geometry)" }

  init(
    of model: Model, _ geometry: GeometrySource,
    columns: [(name: String, content: TableColumns.Content)]
  ) {
    layer = model.table
    let fields = RecordLayout(model).fields
    if case .point = geometry {
      (geometryType, mayHaveAltitudes) = ("POINT", false)
    } else {
      (geometryType, mayHaveAltitudes) = ("GEOMETRY", true)
    }
    // SQLite ignores the case of ASCII letters in names.
    var names: [String] = []
    func free(_ name: String) -> String {
      var name = name
      while names.contains(where: { TableSchema.isSame($0, name) }) { name += "_" }
      names.append(name)
      return name
    }
    self.columns = columns.map { column in
      switch column.content {
      case .field(let field): (free(column.name), Self.type(of: fields[field].attribute))
      case .rows, .unmapped: (free(column.name), "TEXT")
      }
    }
    identifier = free("fid")
    self.geometry = free("geom")
  }

  private static func type(of attribute: Attribute) -> SQL {
    switch attribute.storage {
    case .text, .uuid, .json, .any, .relation: "TEXT"
    case .date: "DATE"
    case .instant: "DATETIME"
    case .real: "REAL"
    case .integer: attribute.types.isSubset(of: [.boolean, .null]) ? "BOOLEAN" : "INTEGER"
    }
  }

  /// The row id, the geometry and the columns as parameters.
  func insertion(ofColumns count: Int) -> SQL {
    let parameters = [SQL](repeating: "?", count: count + 2).joined(separator: ", ")
    return "INSERT INTO \(name: layer) VALUES (\(parameters))"
  }

  var creation: SQL {
    let definitions = columns.map { ", \(name: $0.name) \($0.type)" as SQL }.joined(separator: "")
    let id = Self.referenceSystem
    return """
      \(Self.header);
      CREATE TABLE gpkg_spatial_ref_sys (
        srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
        organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
      INSERT INTO gpkg_spatial_ref_sys VALUES
        ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', NULL),
        ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', NULL),
        ('WGS 84', \(id), 'EPSG', \(id), 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,\
      298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG",\
      "8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]', NULL);
      CREATE TABLE gpkg_contents (
        table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
        description TEXT DEFAULT '',
        last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
        min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
        CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
      INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id)
        VALUES (\(literal: layer), 'features', \(literal: layer), \(id));
      CREATE TABLE gpkg_geometry_columns (
        table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
        srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
        CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
        CONSTRAINT uk_gc_table_name UNIQUE (table_name),
        CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents (table_name),
        CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
      INSERT INTO gpkg_geometry_columns VALUES
        (\(literal: layer), \(literal: geometry), \(literal: geometryType), \(id), \
      \(mayHaveAltitudes ? 2 : 0), 0);
      CREATE TABLE gpkg_extensions (
        table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL,
        scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));
      INSERT INTO gpkg_extensions VALUES (\(literal: layer), \(literal: geometry), 'gpkg_rtree_index',
        'http://www.geopackage.org/spec120/#extension_rtree', 'write-only');
      CREATE TABLE \(name: layer) (
        \(name: identifier) INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        \(name: geometry) \(SQL(verbatim: geometryType))\(definitions));
      """
  }

  /// The triggers that the extension demands. They need the functions of a program for maps, such as `ST_MinX`.
  var indexTriggers: [Trigger] {
    let index = SQL(name: indexName)
    let (id, geometry) = (SQL(name: identifier), SQL(name: geometry))
    let isNew: SQL = "new.\(geometry) NOT NULL AND NOT ST_IsEmpty(new.\(geometry))"
    let isGone: SQL = "(new.\(geometry) IS NULL OR ST_IsEmpty(new.\(geometry)))"
    let insertion: SQL = """
      INSERT OR REPLACE INTO \(index) VALUES (new.\(id), ST_MinX(new.\(geometry)), ST_MaxX(new.\(geometry)), \
      ST_MinY(new.\(geometry)), ST_MaxY(new.\(geometry)))
      """
    let deletion: SQL = "DELETE FROM \(index) WHERE id = old.\(id)"
    let (isSame, isMoved): (SQL, SQL) = ("old.\(id) = new.\(id)", "old.\(id) <> new.\(id)")
    let column = [self.geometry]
    let triggers: [(String, Trigger.Event, of: [String], when: SQL, body: SQL)] = [
      ("insert", .insert, [], isNew, insertion),
      ("update1", .update, column, "\(isSame) AND \(isNew)", insertion),
      ("update2", .update, column, "\(isSame) AND \(isGone)", deletion),
      ("update3", .update, [], "\(isMoved) AND \(isNew)", "\(deletion); \(insertion)"),
      (
        "update4", .update, [], "\(isMoved) AND \(isGone)",
        "DELETE FROM \(index) WHERE id IN (old.\(id), new.\(id))"
      ),
      ("delete", .delete, [], "old.\(geometry) NOT NULL", deletion),
    ]
    return triggers.map { name, event, columns, condition, body in
      Trigger(
        name: "\(indexName)_\(name)", event: event, columns: columns, table: layer,
        condition: condition, body: body)
    }
  }
}
