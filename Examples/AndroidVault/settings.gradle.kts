// Not run here: this repository is tested without Gradle and without Android's SDK.
pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositories {
        google()
        mavenCentral()
    }
}

rootProject.name = "AndroidVault"

// The library beside the sample; scripts/android-aar puts the Swift library into it.
includeBuild("../../android") {
    dependencySubstitution { substitute(module("com.thumbturn:thumbturn")).using(project(":thumbturn")) }
}
