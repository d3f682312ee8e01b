/// One grey picture from a fingerprint reader: 500 dpi, one byte a pixel, ridges dark on a light ground.
public struct FingerImage: Hashable, Sendable {
    public let width: Int
    public let height: Int
    /// Row by row from the top left; 0 is black, 255 is white.
    public let pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && width <= 5000 && height <= 5000, "the reader takes sides of 1 to 5000 pixels")
        precondition(pixels.count == width * height, "a picture has width times height pixels")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// A press in which the reader sees no ridge at all: glove, bandage, or a very dry finger. It has no minutiae.
    public static let blank = FingerImage(width: 300, height: 300, pixels: Array(repeating: 255, count: 300 * 300))

    /// The picture as a binary PGM file, for people who want to look at it.
    public var pgm: [UInt8] { Array("P5\n\(width) \(height)\n255\n".utf8) + pixels }
}
