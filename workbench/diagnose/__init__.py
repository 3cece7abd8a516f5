"""Why a memory was not retrieved: stage traces, helpful tags, and the smallest edit that would have helped."""
