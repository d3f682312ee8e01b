#if canImport(LocalAuthentication) && canImport(Security)
import Testing
@testable import ThumbturnApple

/// What an Apple device is called in a person's list.
@Suite struct AppleDeviceNameTests {
    @Test(arguments: [
        ("Ada’s phone", "iPhone", "iPhone17,3", "Ada’s phone"), ("iPhone", "iPhone", "iPhone17,3", "iPhone (iPhone17,3)"),
        ("iPad", "iPad", "arm64", "iPad"),
    ])
    func phonesWithTheSystemsNameAreToldApartByTheirHardware(
        _ name: String, _ model: String, _ hardware: String, _ label: String
    ) {
        #expect(AppleDeviceName.label(name: name, model: model, hardware: hardware) == label)
    }

    @Test func theHardwareHasAName() {
        #expect(!AppleDeviceName.hardware.isEmpty && !AppleDeviceName.hardware.contains("\0"))
    }
}
#endif
