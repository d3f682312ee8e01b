#if canImport(SwiftUI)
import Foundation
public import SwiftUI
import ThumbturnCore
public import ThumbturnDevice

/// The devices of the account, with a button that removes another one, such as a lost phone.
///
///     DeviceList(devices)  // a DeviceListModel(for: auth) { device in "Remove \(device.name)" }
public struct DeviceList: View {
    private let model: DeviceListModel
    private var words = Words()
    @State private var asked: EnrolledDevice?
    @Environment(\.appLock) private var lock

    /// A dialog stands above the lock screen, so it goes when the app locks or is covered.
    private var isHidden: Bool { lock?.hidesContents ?? false }

    /// Makes the list of a model. Keep the model in a `@State`.
    public init(_ model: DeviceListModel) { self.model = model }

    public var body: some View {
        List {
            Section {
                ForEach(model.devices) { device in row(device) }
            } footer: {
                if let message = words(model.message) { Text(verbatim: message) }
            }
        }
        .navigationTitle(Text(verbatim: words(.devices)))
        .disabled(model.isBusy)
        .announcing(model.message)
        .onChange(of: isHidden) { asked = nil }
        .refreshable { await model.refresh() }
        .task { await model.refresh() }
        .confirmationDialog(
            words(.removeDevice),
            isPresented: Binding {
                asked != nil && !isHidden
            } set: {
                if !$0 { asked = nil }
            },
            titleVisibility: .visible, presenting: asked
        ) { device in
            Button(words(.remove), role: .destructive) {
                if !isHidden { Work.begin { await model.remove(device) } }
            }
            Button(words(.cancel), role: .cancel) {}
        } message: { device in
            Text(verbatim: "\(device.name)\n\(words(.removeDeviceText))")
        }
    }

    private func row(_ device: EnrolledDevice) -> some View {
        HStack {
            VStack(alignment: .leading, spacing: 4) {
                Text(verbatim: device.name)
                if device.isCurrent {
                    Text(verbatim: words(.thisDevice)).font(.footnote).foregroundStyle(.secondary)
                } else if device.onlySignsIn {
                    Text(verbatim: words(.onlySignsIn)).font(.footnote).foregroundStyle(.secondary)
                }
                Text(device.enrolledAt.date, format: .dateTime.day().month().year())
                    .font(.footnote)
                    .foregroundStyle(.secondary)
            }
            .accessibilityElement(children: .combine)
            Spacer()
            if !device.isCurrent {
                Button(role: .destructive) {
                    asked = device
                } label: {
                    Text(verbatim: words(.remove)).frame(minWidth: 44, minHeight: 44).contentShape(.rect)
                }
                .buttonStyle(.borderless)
            }
        }
    }
}

extension UnixTime {
    /// The same time as Foundation has it.
    var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}
#endif
