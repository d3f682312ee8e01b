package com.example.bridge

import io.flutter.embedding.engine.plugins.FlutterPlugin
import io.flutter.plugin.common.MethodCall
import io.flutter.plugin.common.MethodChannel

/** The channel for Flutter. */
class ThumbturnPlugin : FlutterPlugin, MethodChannel.MethodCallHandler {
    private lateinit var channel: MethodChannel
    private lateinit var calls: ThumbturnCalls

    override fun onAttachedToEngine(binding: FlutterPlugin.FlutterPluginBinding) {
        calls = ThumbturnCalls(binding.applicationContext)
        channel = MethodChannel(binding.binaryMessenger, "thumbturn")
        channel.setMethodCallHandler(this)
    }

    override fun onDetachedFromEngine(binding: FlutterPlugin.FlutterPluginBinding) {
        channel.setMethodCallHandler(null)
        calls.close()
    }

    override fun onMethodCall(call: MethodCall, result: MethodChannel.Result) =
        calls.call(call.method, call.arguments as String, result::success, result::error)
}
