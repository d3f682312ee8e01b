/// A greyscale image from a fingerprint reader: 500 dpi, one byte per pixel, dark ridges on a light ground.
public struct FingerImage: Hashable, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The pixels row by row from the top left; 0 is black, 255 is white.
    public let pixels: [UInt8]

    /// Creates an image. Both sides have 1 to 5000 pixels, as the reader demands.
    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && width <= 5000 && height <= 5000, "the reader takes sides of 1 to 5000 pixels")
        precondition(pixels.count == width * height, "an image has width times height pixels")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// A press without visible ridges, as of a glove, a bandage or a very dry finger. It has no minutiae.
    public static let blank = FingerImage(width: 300, height: 300, pixels: Array(repeating: 255, count: 300 * 300))

    /// The image as a binary PGM file, for viewing.
    public var pgm: [UInt8] { Array("P5\n\(width) \(height)\n255\n".utf8) + pixels }
}
