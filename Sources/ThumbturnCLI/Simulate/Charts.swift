#if Tools
import ArgumentParser
import Foundation
import ThumbturnTelemetry

/// Writes charts as files.
enum Charts {
    static func write(_ charts: [(file: String, chart: Chart)], to folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (file, chart) in charts {
                let path = URL(fileURLWithPath: folder).appendingPathComponent(file)
                try Data(chart.svg.utf8).write(to: path)
                FileHandle.standardError.write(Data("chart: \(path.relativePath)\n".utf8))
            }
        } catch {
            throw SimulationOptions.unusable(folder, because: "the charts cannot be written there: \(error.localizedDescription)")
        }
    }
}
#endif
