// A program that imports POIKit sees models, records and the database with it.
@_exported public import POIRecords
@_exported public import POISQLite
