import SwiftUI
import Thumbturn

/// Each state of each view, live: the phone is simulated, and its time passes as real time does.
struct Gallery_Previews: PreviewProvider {
    static var previews: some View {
        ForEach(Gallery.exhibits) { exhibit in ExhibitView(exhibit: exhibit).previewDisplayName(exhibit.id) }
    }
}

/// An exhibit, once its view is made.
private struct ExhibitView: View {
    let exhibit: Exhibit
    @State private var view: AnyView?

    var body: some View {
        ZStack {
            if let view { view } else { ProgressView() }
        }
        .task { view = try? await exhibit.view(clock: SystemClock()).view }
    }
}
