// A program that imports POIKit sees models, records and the database with it, and the encodings of its options.
@_exported public import POIRecords
@_exported public import POISQLite

@_exported public import enum POIFiles.TextEncoding
