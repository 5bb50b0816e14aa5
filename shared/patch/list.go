package patch

import (
	"strings"

	"cuelang.org/go/cue/ast"
)

// mergeByKeys rewrites patch so that each of its items stands where the base has the item of the same key; the others come
// after all of the base's. Each of keys is a path, as configMapRef.name. Items are told apart by what is written there, so
// one that is not written down as a literal leaves the patch as it is.
func mergeByKeys(base, patch *ast.ListLit, keys []string, retain bool) {
	wanted := map[string]ast.Expr{}
	var items []ast.Expr
	for _, key := range keys {
		path := strings.Split(key, ".")
		found, ok := index(patch.Elts, key, path, wanted)
		if !ok {
			return
		}
		if !found {
			if len(patch.Elts) == 0 {
				continue
			}
			return
		}
		aligned, ok := align(base, key, path, wanted, retain)
		if !ok {
			return
		}
		items = append(items, aligned...)
	}
	for _, item := range patch.Elts {
		for _, left := range wanted {
			if item == left {
				items = append(items, item)
				break
			}
		}
	}
	patch.Elts = append(items, &ast.Ellipsis{})
}

// index puts the items that have the key into wanted; of two with one value the last counts. It is not ok where a value is
// no literal.
func index(items []ast.Expr, key string, path []string, wanted map[string]ast.Expr) (found, ok bool) {
	for _, item := range items {
		value := keyOf(item, path)
		if value == nil {
			continue
		}
		found = true
		literal, isLiteral := value.(*ast.BasicLit)
		if !isLiteral {
			return found, false
		}
		wanted[key+"\x00"+literal.Value] = item
	}
	return found, true
}

// align gives for each item of base that has the key what the patch wants of it, which may be nothing, and takes that out of
// wanted. With retain, what the base has is given up for it.
func align(base *ast.ListLit, key string, path []string, wanted map[string]ast.Expr, retain bool) (aligned []ast.Expr, ok bool) {
	for i, item := range base.Elts {
		value := keyOf(item, path)
		if value == nil {
			continue
		}
		literal, isLiteral := value.(*ast.BasicLit)
		if !isLiteral {
			return nil, false
		}
		identity := key + "\x00" + literal.Value
		want, isWanted := wanted[identity]
		if !isWanted {
			aligned = append(aligned, ast.NewStruct())
			continue
		}
		if retain {
			base.Elts[i] = ast.NewStruct()
		}
		aligned = append(aligned, want)
		delete(wanted, identity)
	}
	return aligned, true
}

// keyOf is what an item has at path, or nil.
func keyOf(item ast.Expr, path []string) ast.Node {
	if _, open := item.(*ast.Ellipsis); open {
		return nil
	}
	return find(item, path)
}
